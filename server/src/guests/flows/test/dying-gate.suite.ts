import { writeSync } from 'node:fs'
import { executeFlowStep } from '../execute-flow-step.ts'
import { importFlow } from '../import-flow.ts'
import { mintFlowConsent } from '../mint-flow-consent.ts'
import { startFlowRun } from '../start-flow-run.ts'
import { PROBE_POINTS, type ProbePoint } from '../../../kernel/ports/runtime.ts'
import { openTestGate } from '../../../../test/helpers/with-gate.ts'
import { ANA, bundleOf, FLOW_CONFIG, HER_AGENT, OWNER, PACK } from './flow-samples.suite.ts'
import { FLOW_POLICY } from './dying-policy.suite.ts'

/** A gate that is killed by SIGKILL when it reaches a named point for the nth time, in an execution with three calls. */
const [folder = '', target = '', nth = '1'] = process.argv.slice(2)
if (!PROBE_POINTS.includes(target as ProbePoint)) throw new Error(`there is no point ${target}`)
let seen = 0
const rig = await openTestGate(folder, {
  policy: FLOW_POLICY,
  config: FLOW_CONFIG,
  probe(point) {
    if (point !== target || (seen += 1) < Number(nth)) return
    process.kill(process.pid, 'SIGKILL')
  },
})
const { ports } = rig
const auto = { automatable: 'automatable', skills: [PACK], job: 'many', required: true } as const
await importFlow(ports, OWNER, bundleOf('flow_dying', [auto]))
const started = await startFlowRun(ports, HER_AGENT, { flow_id: 'flow_dying' })
if (!started.ok) throw new Error(JSON.stringify(started))
const { run_id } = started.value.run
const minted = await mintFlowConsent(ports, ANA, { run_id, allowed_lanes: ['local_default'], cost_cap_units: 10 })
if (!minted.ok) throw new Error(JSON.stringify(minted))
const { consent_id } = minted.value.consent
writeSync(1, `${run_id} ${consent_id}\n`)
await executeFlowStep(ports, HER_AGENT, { run_id, step_id: 'flow_dying#1', consent_id })
writeSync(1, 'survived\n')
process.exit(0)
