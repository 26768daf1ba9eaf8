import { Caller } from '../../kernel/contract/caller.ts'
import type { FlowExecutionRecord } from './flow-rows.ts'
import type { FlowExecution } from './execution-state.ts'
import type { ExecutionFound } from './execution-step.ts'
import { withExecution, withRecord } from './run-moves.ts'
import { isUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Artifacts } from '../../kernel/ports/artifacts.ts'
import type { Probe } from '../../kernel/ports/runtime.ts'
import { auditFlow, isoOf, swapFlow, withHistory, type Did, type FlowPorts } from './flow-access.ts'
import { givenBack } from './reserve-units.ts'

export type FinishPorts = FlowPorts & { readonly artifacts: Artifacts; readonly probe: Probe }

const TRIES = 50

/**
 * Ends an execution: its output becomes an artifact, the artifact's digest the evidence of its step, and its remaining units are
 * returned, in the commit that ends it. Done once, however often it is repeated.
 */
export async function finishExecution(deps: FinishPorts, state: FlowExecution): Promise<ExecutionFound | 'later'> {
  const by = Caller.parse(state.caller)
  const isWhole = state.ending === 'completed' && state.output !== null
  const digest = isWhole ? await deps.artifacts.put(by.user, state.output ?? '') : undefined
  const isKept = isWhole && digest !== undefined
  const status = state.ending === 'completed' && !isKept ? 'failed' : state.ending
  const reason = state.reason ?? (status === 'failed' ? 'the result could not be stored' : null)
  const evidence_ref = isKept ? `artifact://${digest}` : null
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await deps.tables.row('flows', state.flow_run_id)
    const run = held?.row.is === 'run' ? held.row : undefined
    const record = run?.executions.find(({ execution_id }) => execution_id === state.execution_id)
    if (held === undefined || run === undefined || record === undefined || record.status !== 'running') return {}
    const now = deps.clock()
    const reserved_units = Math.max(1, record.cost_units)
    const ended: FlowExecutionRecord = {
      ...record,
      status,
      evidence_ref,
      reserved_units,
      completed_at: isoOf(now),
      reason,
    }
    const { step_id } = record
    const did: Did = {
      by,
      type: 'flow.execution_ended',
      did: status,
      step_id,
      note: reason,
      about: {
        execution: state.execution_id,
        status,
        units: reserved_units,
        ...(evidence_ref === null ? {} : { evidence_ref }),
      },
      trace: state.trace,
    }
    const recorded = withRecord(run, ended)
    const moved = evidence_ref === null ? recorded : withExecution(recorded, step_id, evidence_ref, state.verified)
    const row = withHistory(moved, did, now)
    const committed = await deps.ledger.commit([
      swapFlow(row, row.run_id, held.version),
      ...givenBack(record, reserved_units),
      auditFlow(deps, row, did, now),
    ])
    if (committed === 'committed') return {}
    if (isUnrecorded(committed)) return 'later'
  }
  return 'later'
}
