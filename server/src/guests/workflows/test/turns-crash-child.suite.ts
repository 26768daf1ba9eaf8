import { writeSync } from 'node:fs'
import { openForCrash } from './carry-out.suite.ts'
import { carryTurn } from './carry-turn.suite.ts'

/** A gate that dies by SIGKILL when it reaches a point for the n-th time, while it answers a person. */
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
await carryTurn(rig, 'one')
writeSync(1, 'survived\n')
process.exit(0)
