import { isSameName } from '../contract/folded-name.ts'
import type { AuditEvent } from '../contract/audit-events.ts'
import { UserName, type Caller } from '../contract/caller.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import { DELEGATION_LIMITS, type DelegationAnswer, type DelegationTerms } from '../contract/delegation.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { RunId } from '../contract/ids.ts'
import { isEndedRun, type RunRow } from '../contract/run.ts'
import { visibleText } from '../contract/visible-text.ts'
import { mayDecide } from './may-decide.ts'
import { beginRun } from '../runs/begin-run.ts'
import { delegation, DELEGATION, handOver, type Delegation } from './delegation.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { PasskeyPorts } from '../identity/passkeys.ts'
import { isLostToProof, provePerson, type ShownProof } from '../identity/prove-person.ts'
import { backingOf } from '../identity/standing-grants.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { newRunChanges } from '../runs/run-changes.ts'
import type { Judgement } from '../decide/judging.ts'

export type DelegationPorts = {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly judgement: Pick<Judgement, 'scanner'>
}

/** Only this file writes the state of a run of this kind. */
export const delegationIn = ({ row }: Pick<Stored<'runs'>, 'row'>): Delegation => row.state as Delegation

/**
 * Those that apply now, oldest first. An expired one does not apply, whether or not its timer has fired, and neither does one that was
 * given with a key that was revoked since.
 */
export async function liveDelegations({
  tables,
  clock,
}: Pick<DelegationPorts, 'tables' | 'clock'>): Promise<readonly Stored<'runs'>[]> {
  const where = { kind: DELEGATION, status: 'waiting' } as const
  const held = await tables.list('runs', where, { limit: DELEGATION_LIMITS.live })
  const now = clock()
  const inTime = held.filter((one) => delegationIn(one).until > now)
  const backed = await Promise.all(inTime.map((one) => backingOf(tables, delegationIn(one).key)))
  return inTime.filter((_, index) => backed[index]?.ended_at === undefined)
}

/**
 * An approver delegates for a period, with proof that it is them.
 * INVARIANT: only their own seat, and never one that was delegated to them: a seat of somebody else is found by none of their
 * delegations.
 */
export async function delegate(
  deps: DelegationPorts & PasskeyPorts,
  by: Caller,
  { to, for_s, reason }: DelegationTerms,
  shown: ShownProof,
): Promise<Result<DelegationAnswer>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const name = UserName.safeParse(to)
  if (!name.success) return refuse('delegation.invalid', { because: name.error.issues[0]?.message ?? 'not a user' })
  if (isSameName(to, by.user)) return refuse('delegation.invalid', { because: 'you cannot delegate to yourself' })
  const live = await liveDelegations(deps)
  const own = live.filter((one) => delegationIn(one).from === by.user)
  if (own.length >= DELEGATION_LIMITS.per_user || live.length >= DELEGATION_LIMITS.live)
    return refuse('delegation.invalid', { because: `at most ${DELEGATION_LIMITS.per_user} at a time; end one first` })
  const proven = await provePerson(deps, by, shown)
  if (!proven.ok) return proven
  const now = deps.clock()
  const state: Delegation = {
    from: by.user,
    to,
    until: now + for_s * 1000,
    by: by.id,
    ...(by.credential?.key === undefined ? {} : { key: by.credential.key }),
    reason: reason === undefined ? null : visibleText(await deps.judgement.scanner.redact(reason, 'shown')),
    trace: deps.ids.trace(),
  }
  const row = beginRun(delegation, deps.ids.run(), handOver(state), now, { owner: callerIdentity(by) })
  // The reason is in the run only: it can be erased there, and nothing can be erased from the audit.
  const about = { until: state.until }
  const changes = [...proven.value.changes, ...newRunChanges(row), audited('delegation.given', by, row, now, about)]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok(answerOf(row))
  return isLostToProof(proven.value, changes, recorded) ? refuse('request.replayed') : refuseUnrecorded(recorded)
}

/** Everybody who decides sees who substitutes whom. */
export async function listDelegations(deps: DelegationPorts, by: Caller): Promise<Result<readonly DelegationAnswer[]>> {
  const allowed = mayDecide(by)
  return allowed.ok ? ok((await liveDelegations(deps)).map(({ row }) => answerOf(row))) : allowed
}

const TRIES = 8

/** Revokes it immediately: allowed for the people involved and for admins. */
export async function endDelegation(
  deps: DelegationPorts,
  by: Caller,
  delegation_id: string,
): Promise<Result<DelegationAnswer>> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const id = RunId.safeParse(delegation_id)
    const held = id.success ? await deps.tables.row('runs', id.data) : undefined
    if (held === undefined || held.row.kind !== DELEGATION || isEndedRun(held.row))
      return refuse('delegation.unknown', { delegation_id })
    const { from, to } = delegationIn(held)
    const isOwn = by.user === from || by.user === to || by.kind === 'admin'
    const allowed = mayDecide(by)
    if (!isOwn || !allowed.ok) return refuse('delegation.unknown', { delegation_id })
    const now = deps.clock()
    const { waits_for: _, ...before } = held.row
    const row: RunRow = { ...before, status: 'cancelled', timers: {}, ended_at: now }
    const recorded = await deps.ledger.commit([
      { kind: 'swap', table: 'runs', id: row.run_id, from: held.version, to: row },
      audited('delegation.ended', by, row, now, {}),
    ])
    if (recorded === 'committed') return ok(answerOf(row))
    if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  }
  return refuse('audit.unavailable')
}

function audited(
  type: AuditEvent,
  by: Caller,
  row: RunRow,
  at: number,
  about: Record<string, string | number>,
): Change {
  const { from, to, trace } = delegationIn({ row })
  const subject = { run: row.run_id, user: from, delegate: to }
  return { kind: 'audit', entry: { at, type, actor: by.id, trace, subject, about } }
}

function answerOf(row: RunRow): DelegationAnswer {
  const { from, to, until, reason } = delegationIn({ row })
  return {
    delegation_id: row.run_id,
    from,
    to,
    created_at: row.created_at,
    until,
    ...(reason === null ? {} : { reason }),
    ...(row.ended_at === undefined ? {} : { ended_at: row.ended_at }),
  }
}
