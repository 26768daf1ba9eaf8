import { writeSync } from 'node:fs'
import { openTestGate } from '../../../../test/helpers/with-gate.ts'
import { FLOW_POLICY, note, runFlow } from './with-flows.suite.ts'

/** A gate that is killed by SIGKILL when its flow reaches a named point. */
const [folder = '', target = ''] = process.argv.slice(2)
const rig = await openTestGate(folder, {
  policy: FLOW_POLICY,
  probe(point) {
    if (point !== target) return
    writeSync(1, 'died\n')
    process.kill(process.pid, 'SIGKILL')
  },
})
await runFlow(rig, note('once'))
writeSync(1, 'survived\n')
process.exit(0)
