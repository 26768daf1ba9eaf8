import { writeSync } from 'node:fs'
import { runDocument } from '../../workflows/run-document.ts'
import { openWorkflows } from '../../workflows/test/with-workflows.suite.ts'
import { ADMIN } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'

/** A gate that is killed with SIGKILL after a message of its run has reached the homeserver and before that is recorded. */
const [folder = '', transports = '[]', input = '{}'] = process.argv.slice(2)
let left = 2
const rig = await openWorkflows(folder, {
  transport: false,
  config: { transports: JSON.parse(transports) as unknown },
  probe(reached) {
    if (reached !== 'upstream.after') return
    left -= 1
    if (left > 0) return
    writeSync(1, 'died\n')
    process.kill(process.pid, 'SIGKILL')
  },
})
const { run_id } = valueOf(
  await runDocument(rig.ports, ADMIN, 'clerk', {
    protocol: 'clerk.file.v1',
    input: JSON.parse(input) as { id: number },
  }),
)
await rig.ended(run_id)
writeSync(1, 'survived\n')
process.exit(0)
