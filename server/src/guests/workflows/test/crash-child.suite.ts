import { writeSync } from 'node:fs'
import { carryOut, openForCrash } from './carry-out.suite.ts'

/** A gate that dies by SIGKILL when it reaches a point for the n-th time, while it runs a document. */
const [folder = '', model = '', point = '', count = ''] = process.argv.slice(2)
let armed = false
let left = Number(count)
const rig = await openForCrash(folder, model, (reached) => {
  if (!armed || reached !== point) return
  left -= 1
  if (left > 0) return
  writeSync(1, 'died\n')
  process.kill(process.pid, 'SIGKILL')
})
armed = true
const { status } = await carryOut(rig)
writeSync(1, `survived ${status}\n`)
process.exit(0)
