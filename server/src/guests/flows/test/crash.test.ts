import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { graveyard, leftBy, type Left } from '../../../../test/crash/dying.ts'
import { openTestGate, until } from '../../../../test/helpers/with-gate.ts'
import { someOf } from '../../../../test/some-of.ts'
import { listCalls } from '../../activity/endpoints.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { executeFlowStep } from '../execute-flow-step.ts'
import { importFlow } from '../import-flow.ts'
import { mintFlowConsent } from '../mint-flow-consent.ts'
import { readChecklist } from '../read-flow-runs.ts'
import { startFlowRun } from '../start-flow-run.ts'
import { ANA, bundleOf, FLOW_CONFIG, HER_AGENT, OWNER, PACK, prepareFlows } from './flow-samples.suite.ts'

/** The notes run without a question. */
const GATE = {
  policy: 'rules: [{ id: again, effect: allow, match: { tool: book__note_again }, says: harmless and repeatable }]',
  config: FLOW_CONFIG,
}

/** The tool is idempotent, so a call that was interrupted is made again; its units are counted once. */
const DEATHS = [
  // Between storing the settlement and the step: without `settled_for` it would be counted twice.
  ['step.before', 4],
  ['flow.reserved', 2],
  ['flow.reserved', 1],
  ['flow.settling', 1],
  ['flow.settling', 2],
  ['step.before', 7],
  ['upstream.after', 2],
  ['outcome.after', 3],
  ['step.after', 4],
] as const

const root = graveyard()
let left: readonly Left[]
let [run_id, consent_id] = ['', '']

/** An execution with three calls. */
beforeAll(async () => {
  const folder = join(root, 'live')
  mkdirSync(folder)
  prepareFlows(folder, join(folder, 'data'))
  left = await leftBy(
    folder,
    async ({ reach, arm }) => {
      const rig = await openTestGate(folder, { ...GATE, probe: reach })
      const { ports } = rig
      arm()
      const auto = { automatable: 'automatable', skills: [PACK], job: 'many', required: true } as const
      await importFlow(ports, OWNER, bundleOf('flow_dying', [auto]))
      ;({ run_id } = valueOf(await startFlowRun(ports, HER_AGENT, { flow_id: 'flow_dying' })).run)
      const terms = { run_id, allowed_lanes: ['local_default'], cost_cap_units: 10 }
      ;({ consent_id } = valueOf(await mintFlowConsent(ports, ANA, terms)).consent)
      await executeFlowStep(ports, HER_AGENT, { run_id, step_id: 'flow_dying#1', consent_id })
      await rig.opened.close()
    },
    (point, nth) => DEATHS.some(([at, time]) => at === point && time === nth),
  )
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test.each(someOf(DEATHS, 2))(
  'an execution whose gate is killed at %s, time %i, continues after the restart and neither loses nor adds a unit',
  async (at, time) => {
    const { folder } = left.find(({ point, nth }) => point === at && nth === time) ?? { folder: '' }
    const rig = await openTestGate(folder, GATE)
    try {
      const checklist = async () => valueOf(await readChecklist(rig.ports, ANA, { run_id }))
      await until(async () => (await checklist()).executions[0]?.status !== 'running')
      const { executions, consents, run } = await checklist()
      expect(executions).toHaveLength(1)
      expect(executions[0]).toMatchObject({ status: 'completed', cost_units: 3 })
      expect(consents[0]).toMatchObject({ consent_id, cost_cap_units: 10, cost_consumed_units: 3 })
      expect(run.step_states[0]).toMatchObject({ status: 'in_progress', verified: true })
      // Each of the three notes was written, none by a second call of the flow.
      const calls = (await listCalls(rig.ports, ANA, { tool: 'book__note_again' }, { limit: 50 })).items
      expect(calls).toHaveLength(3)
      expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
    } finally {
      await rig.opened.close()
    }
  },
)
