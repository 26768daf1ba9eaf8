import { writeSync } from 'node:fs'
import { BOOK_TOOLS, openTestGate } from '../helpers/with-gate.ts'
import { CRASH_POLICY } from './crash-policy.ts'

/** What the parent wants: `nth` counts how often the point is reached, over all clients. */
export type ReadingOrder = {
  readonly folder: string
  readonly clients: number
  readonly kill: { readonly at: string; readonly nth: number }
  /** The writing thread, if it is not the usual one. */
  readonly writer?: string
}

/** A read that the tool server logs, so that requests can be counted. */
export const READING_TOOLS = { tools: { ...BOOK_TOOLS, slow_note: { effects: ['read'] } } }

/** A gate whose clients read without pause and print what they were answered, until it dies by SIGKILL at a named point. */
async function read({ folder, clients, kill, writer }: ReadingOrder): Promise<void> {
  let reached = 0
  const rig = await openTestGate(folder, {
    policy: CRASH_POLICY,
    server: READING_TOOLS,
    ...(writer === undefined ? {} : { writer: new URL(writer) }),
    probe(point) {
      if (point !== kill.at || (reached += 1) < kill.nth) return
      writeSync(1, `died at ${point}\n`)
      process.kill(process.pid, 'SIGKILL')
    },
  })
  const client = async (name: number) => {
    for (let number = 1; ; number += 1) {
      const text = `${name}-${number}`
      // Long enough for everything that is done now and then, such as noting the newest entry.
      const ms = number % 8 === 0 ? 300 : 0
      const outcome = await rig.call('book__slow_note', { text, ms }, { thread: `t${name}` })
      if (outcome.status !== 'executed') throw new Error(JSON.stringify(outcome))
      writeSync(1, `answered ${text}\n`)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, name) => client(name)))
}

const [order] = process.argv.slice(2)
if (order !== undefined && import.meta.main) await read(JSON.parse(order) as ReadingOrder)
