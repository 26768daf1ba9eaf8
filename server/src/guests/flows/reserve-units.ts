import type { FlowExecutionRecord } from './flow-rows.ts'
import type { FlowExecution } from './execution-state.ts'
import { withRecord } from './run-moves.ts'
import { isUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { asItStands, expectsKey } from '../../kernel/identity/standing-grants.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import { accountOf, swapFlow, type FlowPorts } from './flow-access.ts'

export type UnitPorts = Pick<FlowPorts, 'tables' | 'ledger' | 'accounts' | 'clock'>

type Executing = Pick<FlowExecution, 'flow_run_id' | 'execution_id' | 'consent_id'>

/** `over`: the execution is no longer running. `later`: the ledger cannot record now. */
export type Reserved = 'reserved' | 'capped' | 'revoked' | 'over' | 'later'

const TRIES = 50

/**
 * Takes the units of one call from the consent, before it is made. Repeating it for the same call takes nothing more.
 * INVARIANT: units leave the account in the commit that raises `reserved_units`, and the ledger never lets an account fall below
 * zero: however many processes try, the cap is not exceeded.
 */
export async function reserveUnits(
  deps: UnitPorts,
  executing: Executing,
  call: number,
  cost: number,
): Promise<Reserved> {
  const { consent_id } = executing
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await recordIn(deps, executing)
    if (found === undefined || found.record.status !== 'running') return 'over'
    const { record } = found
    if (record.reserved_for >= call) return 'reserved'
    const consent = await deps.tables.row('flow_consents', consent_id)
    if (consent === undefined) return 'revoked'
    const { row: standing, key } = await asItStands(deps.tables, consent.row)
    if (standing.revoked_at !== undefined || deps.clock() >= standing.expires_at) return 'revoked'
    const reserved_units = Math.max(record.reserved_units, record.cost_units + cost)
    const units = reserved_units - record.reserved_units
    const left = (await deps.accounts.left(accountOf(consent_id))) ?? 0
    if (units > left) return 'capped'
    const committed = await deps.ledger.commit([
      ...found.swap({ ...record, reserved_units, reserved_for: call }),
      { kind: 'expect', table: 'flow_consents', id: consent_id, version: consent.version },
      ...expectsKey(key),
      ...(units > 0 ? [{ kind: 'spend', account: accountOf(consent_id), units } as const] : []),
    ])
    if (committed === 'committed') return 'reserved'
    if (isUnrecorded(committed)) return 'later'
  }
  return 'later'
}

/** Records what a call really cost, and returns the reserved units that were not used. Repeating it changes nothing. */
export async function chargeUnits(
  deps: UnitPorts,
  executing: Executing,
  call: number,
  cost: number,
): Promise<'settled' | 'later'> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await recordIn(deps, executing)
    if (found === undefined || found.record.status !== 'running' || found.record.settled_for >= call) return 'settled'
    const { record } = found
    const cost_units = record.cost_units + cost
    const reserved_units = Math.max(1, cost_units)
    const committed = await deps.ledger.commit([
      ...found.swap({ ...record, cost_units, reserved_units, settled_for: call }),
      ...givenBack(record, reserved_units),
    ])
    if (committed === 'committed') return 'settled'
    if (isUnrecorded(committed)) return 'later'
  }
  return 'later'
}

/** The units of a consent that an execution holds and no longer needs. */
export function givenBack(record: FlowExecutionRecord, reserved_units: number): Change[] {
  const units = reserved_units - record.reserved_units
  return units === 0 ? [] : [{ kind: 'spend', account: accountOf(record.consent_id), units }]
}

async function recordIn({ tables }: UnitPorts, { flow_run_id, execution_id }: Executing) {
  const held = await tables.row('flows', flow_run_id)
  if (held?.row.is !== 'run') return undefined
  const { row, version } = { row: held.row, version: held.version }
  const record = row.executions.find((one) => one.execution_id === execution_id)
  if (record === undefined) return undefined
  return {
    row,
    version,
    record,
    swap: (next: FlowExecutionRecord): Change[] => [swapFlow(withRecord(row, next), row.run_id, version)],
  }
}
