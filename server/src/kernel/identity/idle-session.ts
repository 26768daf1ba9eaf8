import type { Caller } from '../contract/caller.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { SessionRow } from '../sessions/session.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type SessionPorts = { readonly tables: Pick<Tables, 'row'>; readonly ledger: Ledger; readonly clock: Clock }

/** A caller that names no session and was idle for this long begins a new one. */
export const IDLE_MS = 30 * 60_000
/** How far the row may be behind: a caller that calls all day costs one small commit in five minutes. */
const BEHIND_MS = 5 * 60_000
const TRIES = 8

/**
 * The session of a caller that names none: its calls without a long pause between them. It is a row in the store, so that it
 * survives a restart and is the same on every node and at every door.
 * INVARIANT: a pause of less than `IDLE_MS - BEHIND_MS` never ends it, one of `IDLE_MS` always does.
 */
export async function idleSession({ tables, ledger, clock }: SessionPorts, caller: Caller): Promise<Result<string>> {
  const who = callerIdentity(caller)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await tables.row('sessions', who)
    const now = clock()
    // If the clock was set back this is negative, and the session continues.
    const silent = held === undefined ? Infinity : now - held.row.seen_at
    if (held !== undefined && silent < BEHIND_MS) return ok(held.row.thread)
    const thread = held !== undefined && silent < IDLE_MS ? held.row.thread : `idle:${now.toString(36)}`
    const to: SessionRow = { v: 1, caller: who, thread, seen_at: now }
    const kept = await ledger.commit([
      { kind: 'swap', table: 'sessions', id: who, from: held?.version ?? 'absent', to },
    ])
    if (kept === 'committed') return ok(thread)
    if (isUnrecorded(kept)) return refuseUnrecorded(kept)
  }
  return refuse('audit.unavailable')
}
