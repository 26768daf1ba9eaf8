import type { AuditEvent } from '../contract/audit-events.ts'
import { relayOwner } from '../artifacts/relay-owner.ts'
import type { CallRow } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { isLabelOf } from '../sessions/label.ts'
import { isEndedRun } from '../contract/run.ts'
import { withdrawCall } from '../attempt/withdraw-call.ts'
import { everyRow } from '../changes/every-row.ts'
import type { TableEntry } from '../changes/table-entry.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Ids } from '../ports/runtime.ts'
import { eraseWords } from './erase-words.ts'
import { expireJournal, expireLabelText, expireTexts, type ExpirePorts } from './expire-texts.ts'
import { callerOfRun, ownerOf } from '../runs/may-see-run.ts'
import { heldCall } from '../attempt/held-call.ts'
import { hasEnded } from './end-days.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'

export type ErasePorts = ExpirePorts & {
  /** The ledger that reports its changes: the withdrawal of a call must be reported. */
  readonly notifying: Ledger
  readonly tables: Tables
  readonly artifacts: Artifacts
  readonly ids: Pick<Ids, 'trace'>
  readonly scrub: () => Promise<void>
  readonly tableEntries: readonly TableEntry[]
  /** What guests have outside of the store. */
  readonly eraseElsewhere: (user: string) => Promise<void>
}

export type Erased = {
  readonly user: string
  readonly calls: number
  readonly runs: number
  readonly habits: number
  readonly artifacts: number
  /** Calls that wait, run or are unknown, and runs that continue: not erased. */
  readonly open: readonly string[]
}

/**
 * Deletes one person's arguments, outputs and artifacts now: those of all calls made in their name. What is still open is kept and listed;
 * calls that only wait for a decision can be withdrawn first. So is what they wrote elsewhere (`eraseWords`). Repeating it is harmless, and after a crash a repetition does the rest. The
 * audit gets the numbers and keeps its hashes.
 */
export async function eraseUser(
  deps: ErasePorts,
  by: Caller,
  wanted: { readonly user: string; readonly withdraw: boolean },
): Promise<Result<Erased>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const { user, withdraw } = wanted
  const note = (type: AuditEvent, about: Record<string, number>): Change => ({
    kind: 'audit',
    entry: { at: deps.clock(), type, actor: by.id, trace: deps.ids.trace(), subject: { user }, about },
  })
  const begun = await deps.ledger.commit([note('user.erasure_started', {})])
  if (begun !== 'committed') return refuseUnrecorded(begun)
  const open: string[] = []
  const callers = new Set<string>()
  const count = { calls: 0, runs: 0, habits: 0 }
  for await (const held of everyRow(deps.tables, 'calls')) {
    if (held.row.caller.user !== user && (await nodeUserOf(deps, held.row)) !== user) continue
    if (held.row.caller.user === user) callers.add(held.row.caller.id)
    const ended = await endedCall(deps, by, held, withdraw)
    if (ended === undefined) open.push(held.row.call_id)
    else if (await expireTexts(deps, ended)) count.calls += 1
  }
  for await (const held of everyRow(deps.tables, 'runs')) {
    const isTheirs = held.row.kind !== heldCall.kind && callerOfRun(deps.kinds, held.row)?.['user'] === user
    // A held call is listed as a call. Runs of the gate itself have no caller in their state, but an owner.
    if (!isTheirs && ownerOf(held.row)?.user !== user) continue
    if (isEndedRun(held.row)) count.runs += (await expireJournal(deps, held)) ? 1 : 0
    else if (isTheirs) open.push(held.row.run_id)
  }
  for await (const held of everyRow(deps.tables, 'labels'))
    if (isLabelOf(held.row, user)) await expireLabelText(deps, held)
  for await (const { row } of everyRow(deps.tables, 'credentials'))
    if (row.caller.user === user) callers.add(row.caller.id)
  count.habits = await eraseWords(deps, user, callers)
  const artifacts = (await deps.artifacts.erase(user)) + (await deps.artifacts.erase(relayOwner(user)))
  await deps.scrub()
  const recorded = await deps.ledger.commit([note('user.erased', { ...count, artifacts, open: open.length })])
  if (recorded !== 'committed') return refuseUnrecorded(recorded)
  await deps.eraseElsewhere(user)
  return ok({ user, ...count, artifacts, open })
}

/** At a hub: the person behind the call at its node, which has a caller of its own here. */
async function nodeUserOf({ tables }: ErasePorts, { node, approval_id }: CallRow): Promise<string | undefined> {
  if (node === undefined || approval_id === undefined) return undefined
  return (await tables.row('approvals', approval_id))?.row.from_node?.context.user
}

/** The call once nothing waits for it; undefined while something does. */
async function endedCall(
  deps: ErasePorts,
  by: Caller,
  held: Stored<'calls'>,
  withdraw: boolean,
): Promise<Stored<'calls'> | undefined> {
  if (hasEnded(held.row)) return held
  if (held.row.state !== 'pending' || !withdraw) return undefined
  const withdrawn = await withdrawCall({ ...deps, ledger: deps.notifying }, by, held.row.call_id)
  const now = withdrawn.ok ? await deps.tables.row('calls', held.row.call_id) : undefined
  return now !== undefined && hasEnded(now.row) ? now : undefined
}
