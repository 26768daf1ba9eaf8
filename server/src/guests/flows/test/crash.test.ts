import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listCalls } from '../../activity/endpoints.ts'
import { readChecklist } from '../read-flow-runs.ts'
import { built } from '../../../../test/built/built.ts'
import { openTestGate, until } from '../../../../test/helpers/with-gate.ts'
import { someOf } from '../../../../test/some-of.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { FLOW_POLICY } from './dying-policy.suite.ts'
import { ANA, FLOW_CONFIG, prepareFlows } from './flow-samples.suite.ts'

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

test.each(someOf(DEATHS, 4))(
  'an execution whose gate is killed at %s, time %i, continues after the restart and neither loses nor adds a unit',
  async (point, nth) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-flow-crash-'))
    try {
      prepareFlows(folder, join(folder, 'data'))
      const script = built(join(import.meta.dirname, 'dying-gate.suite.ts'))
      const child = spawnSync(process.execPath, [script, folder, point, String(nth)], { encoding: 'utf8' })
      expect(child.signal, child.stderr).toBe('SIGKILL')
      expect(child.stdout).not.toContain('survived')
      const [run_id = '', consent_id = ''] = child.stdout.trim().split(' ')
      const rig = await openTestGate(folder, { policy: FLOW_POLICY, config: FLOW_CONFIG })
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
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  60_000,
)
