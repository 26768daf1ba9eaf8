import { writeSync } from 'node:fs'
import { openWorkflows } from './with-workflows.ts'
import { CRASH_DOCUMENT, CRASH_MESSAGE } from './crash-document.ts'

/** A gate that dies by SIGKILL at the n-th time that it reaches a point, while it carries out a document. */
const [folder = '', point = '', count = ''] = process.argv.slice(2)
let armed = false
let left = Number(count)
const rig = await openWorkflows(folder, {
  probe(reached) {
    if (!armed || reached !== point) return
    left -= 1
    if (left > 0) return
    writeSync(1, 'died\n')
    process.kill(process.pid, 'SIGKILL')
  },
})
await rig.apply(CRASH_DOCUMENT)
armed = true
const run_id = await rig.say(CRASH_MESSAGE, { id: 'one' })
await rig.ended(run_id)
writeSync(1, 'survived\n')
await rig.close()
process.exit(0)
