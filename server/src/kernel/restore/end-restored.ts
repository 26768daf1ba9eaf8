import type { AuditEvent } from '../contract/audit-events.ts'
import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRow } from '../contract/call.ts'
import type { KeyId } from '../contract/ids.ts'
import { LOCAL_OWNER } from '../contract/caller.ts'
import { Bug, problem, type Problem } from '../contract/problems.ts'
import { isEndedRun, type RunRow } from '../contract/run.ts'
import { goStale, withdraw } from '../approvals/transitions.ts'
import { CLOSED } from '../consents/build-consent.ts'
import { onlyReads } from '../contract/tool.ts'
import { auditOf } from '../attempt/call-changes.ts'
import { everyRow } from '../changes/every-row.ts'
import type { RestoredEnding, TableEntry } from '../changes/table-entry.ts'
import { credentialState } from '../identity/credential-state.ts'
import type { Change, Ledger, Table } from '../ports/ledger.ts'
import type { Accounts, Stored, Journal, Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import type { RunKindEntry } from '../runs/performer.ts'
import { addRunEvent } from '../runs/run-changes.ts'

export type RestorePorts = {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly journal: Pick<Journal, 'events'>
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
  readonly kinds: ReadonlyMap<string, Pick<RunKindEntry, 'restored'>>
  readonly tableEntries: readonly TableEntry[]
}

/** How many of each were ended. */
export type EndedByRestore = {
  readonly withdrawn: number
  readonly unknown: number
  readonly consents: number
  readonly runs: number
  readonly logins: number
}

/** A key that a restored gate accepts. */
export type RestoredKey = { readonly key_id: KeyId; readonly caller: string; readonly user: string }

const BY = LOCAL_OWNER.id

/**
 * Ends what a backup would bring back to life. Since it was made, the calls that waited may have run, the approvals may have been used
 * or denied, and the consents revoked. None of that is in the backup, so nothing may be carried on.
 * INVARIANT: afterwards no call is pending or executing, no request can be decided or used, and no consent and no login is active.
 */
export async function endRestored(deps: RestorePorts): Promise<EndedByRestore> {
  const runs = await endAll(deps, 'runs', endedRun)
  const requests = await endAll(deps, 'approvals', endedRequest)
  const calls = await endAll(deps, 'calls', endedCall)
  const consents = await endAll(deps, 'consents', endedConsent)
  let granted = 0
  for (const { table, restored } of deps.tableEntries)
    if (restored !== undefined) {
      const at = { now: deps.clock(), by: BY, trace: deps.ids.trace }
      granted += (await endAll(deps, table, (_, held) => restored(held, at))).get('revoked') ?? 0
    }
  const logins = await endAll(deps, 'logins', endedLogin)
  return {
    withdrawn: requests.get('withdrawn') ?? 0,
    unknown: calls.get('unknown') ?? 0,
    consents: (consents.get('revoked') ?? 0) + granted,
    runs: runs.get('cancelled') ?? 0,
    logins: logins.get('ended') ?? 0,
  }
}

/** The keys that are valid: their owners may have lost them since the backup was made. */
export async function restoredKeys({ tables, clock }: RestorePorts): Promise<readonly RestoredKey[]> {
  const keys: RestoredKey[] = []
  for await (const { row } of everyRow(tables, 'credentials'))
    if (credentialState(row, clock()) === 'active')
      keys.push({ key_id: row.key_id, caller: row.caller.id, user: row.caller.user })
  return keys
}

/** Nobody else writes to a folder that is being restored, so a commit that is lost is a mistake in the changes. */
export async function committed(deps: Pick<RestorePorts, 'ledger'>, changes: readonly Change[]): Promise<void> {
  const recorded = await deps.ledger.commit(changes)
  if (recorded !== 'committed') throw new Bug(`what was restored cannot be ended: ${JSON.stringify(recorded)}`)
}

async function endAll<T extends Table>(
  deps: RestorePorts,
  table: T,
  end: (deps: RestorePorts, held: Stored<T>) => RestoredEnding | undefined | Promise<RestoredEnding | undefined>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for await (const held of everyRow(deps.tables, table)) {
    const ending = await end(deps, held)
    if (ending === undefined) continue
    await committed(deps, ending.changes)
    counts.set(ending.as, (counts.get(ending.as) ?? 0) + 1)
  }
  return counts
}

const noted = (deps: RestorePorts, type: AuditEvent, subject: Readonly<Record<string, string>>): Change => ({
  kind: 'audit',
  entry: { at: deps.clock(), type, actor: BY, trace: deps.ids.trace(), subject },
})

/** What it did after the backup is not known, and it would do it again. */
async function endedRun(deps: RestorePorts, held: Stored<'runs'>): Promise<RestoredEnding | undefined> {
  const { row, version } = held
  if (isEndedRun(row)) return undefined
  const now = deps.clock()
  const becomes = (await deps.kinds.get(row.kind)?.restored?.(row, { now, journal: deps.journal })) ?? 'cancelled'
  if (becomes === 'kept') return undefined
  const { waits_for: _, driver: _1, cancelling: _2, fault: _3, ...rest } = row
  const stopped = { ...rest, executing: [], timers: {} }
  const swap = (to: RunRow): Change => ({ kind: 'swap', table: 'runs', id: row.run_id, from: version, to })
  if (becomes !== 'cancelled')
    return {
      as: 'continued',
      changes: [swap({ ...stopped, status: 'waiting' }), ...addRunEvent(row.run_id, becomes.continues)],
    }
  return {
    as: 'cancelled',
    changes: [
      swap({ ...stopped, status: 'cancelled', ended_at: now }),
      noted(deps, 'run.cancelled', { run: row.run_id }),
    ],
  }
}

async function endedRequest(deps: RestorePorts, held: Stored<'approvals'>): Promise<RestoredEnding | undefined> {
  const { row, version } = held
  if (row.state !== 'pending' && row.state !== 'approved') return undefined
  const now = deps.clock()
  const ended = row.state === 'pending' ? withdraw(row, now) : goStale(row, now)
  if (!ended.ok) throw new Bug('a request that is open can be ended')
  const call = await deps.tables.row('calls', row.call_id)
  return {
    as: 'withdrawn',
    changes: [
      { kind: 'swap', table: 'approvals', id: row.approval_id, from: version, to: ended.value },
      ...(call?.row.state === 'pending' ? refusedCall(deps, call, whyEnded(ended.value), endedAs(ended.value)) : []),
    ],
  }
}

const endedAs = ({ state }: ApprovalRow): 'withdrawn' | 'stale' => (state === 'withdrawn' ? state : 'stale')

const whyEnded = ({ approval_id, state }: ApprovalRow): Problem =>
  state === 'withdrawn'
    ? problem('approval.withdrawn', { approval_id })
    : problem('approval.stale', { approval_id, because: 'it was approved before a backup that was restored' })

function refusedCall(
  deps: RestorePorts,
  { row, version }: Stored<'calls'>,
  why: Problem,
  as: 'withdrawn' | 'stale',
): readonly Change[] {
  const now = deps.clock()
  const to: CallRow = { ...row, state: 'refused', ended_at: now, problem: why }
  const entry = auditOf(`approval.${as}`, to, now, { actor: BY, outcome: 'refused', about: { code: why.code } })
  return [
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to },
    { kind: 'audit', entry },
  ]
}

/** Without its run, which has ended: if a person settles it as a retry, that gets a new one. */
function endedCall(deps: RestorePorts, held: Stored<'calls'>): RestoredEnding | undefined {
  const { row, version } = held
  const now = deps.clock()
  if (row.state === 'pending') {
    const why = problem('approval.withdrawn', { approval_id: row.approval_id ?? '' })
    return { as: 'refused', changes: refusedCall(deps, held, why, 'withdrawn') }
  }
  // Both are as harmless as before, and the start of the gate ends them.
  if (row.state === 'executing' && (row.executor === 'client' || onlyReads(row.judged))) return undefined
  if (row.state !== 'executing' && row.state !== 'unknown') return undefined
  if (row.state === 'unknown' && row.run_id === undefined && row.settled === undefined) return undefined
  const { run_id: _, settled: _1, retry: _2, ...rest } = row
  const to: CallRow = {
    ...rest,
    state: 'unknown',
    problem: row.state === 'unknown' && row.problem !== undefined ? row.problem : problem('call.interrupted'),
  }
  const entry = auditOf('call.interrupted', to, now, { actor: BY, outcome: 'unknown' })
  return {
    as: 'unknown',
    changes: [
      { kind: 'swap', table: 'calls', id: row.call_id, from: version, to },
      { kind: 'audit', entry },
    ],
  }
}

function endedConsent(deps: RestorePorts, { row, version }: Stored<'consents'>): RestoredEnding | undefined {
  if (row.revoked_at !== undefined || row.shelf === CLOSED) return undefined
  const id = row.consent_id
  const to = { ...row, revoked_by: BY, revoked_at: deps.clock(), shelf: CLOSED }
  return {
    as: 'revoked',
    changes: [
      { kind: 'swap', table: 'consents', id, from: version, to },
      noted(deps, 'consent.revoked', { consent: id }),
    ],
  }
}

function endedLogin(deps: RestorePorts, { row, version }: Stored<'logins'>): RestoredEnding | undefined {
  const now = deps.clock()
  if (row.ended_at !== undefined || row.expires_at <= now) return undefined
  return {
    as: 'ended',
    changes: [{ kind: 'swap', table: 'logins', id: row.login_id, from: version, to: { ...row, ended_at: now } }],
  }
}
