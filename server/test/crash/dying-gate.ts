import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { counting, type Kill, type Scenario } from './dying.ts'

/** A gate that is killed by SIGKILL at a place of a scenario. One that is not killed says how often it reached each place. */
type Words = { readonly script: string; readonly kill?: Kill; readonly order: unknown }
const { script, kill, order } = JSON.parse(process.argv[2] ?? '') as Words
const { live } = (await import(pathToFileURL(script).href)) as { readonly live: Scenario<unknown> }

const dying = counting((place, nth) => {
  if (place !== kill?.at || nth !== (kill.nth ?? 1)) return
  writeSync(1, `died at ${place}, time ${nth}\n`)
  process.kill(process.pid, 'SIGKILL')
})
await live(order, dying)
writeSync(1, `survived ${JSON.stringify(Object.fromEntries(dying.seen))}\n`)
process.exit(0)
