import { Caller, DECIDING_KINDS, PROGRAM_KINDS } from '../contract/caller.ts'
import { callerIdentity, type CallerNames } from '../contract/caller-identity.ts'
import type { RunKind, RunRow } from '../contract/run.ts'
import { mayReadWorkOf } from '../identity/grants.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'

/** The two names in a run's owner; undefined for a run of the gate itself, and for an unreadable owner. */
export function ownerOf({ owner }: Pick<OwnedRun, 'owner'>): CallerNames | undefined {
  if (owner === undefined) return undefined
  try {
    const [id, user] = JSON.parse(owner) as readonly unknown[]
    return typeof id === 'string' && typeof user === 'string' ? { id, user } : undefined
  } catch {
    return undefined
  }
}

/** Whose run it is: its owner's names, and the caller whose credential it acts with. Both are undefined for a run of the gate itself. */
export type OwnedRun = { readonly owner?: string | undefined; readonly caller?: Caller | undefined }

/** How the kinds of runs say whose credential a run acts with. */
export type CallersOfKinds = ReadonlyMap<string, Pick<RunKind, 'callerOf'>>

/** Whose credential a run acts with, as its state says: also after the rest of its state was deleted. */
export function callerOfRun(
  kinds: CallersOfKinds,
  { kind, state, expired_at }: Pick<RunRow, 'kind' | 'state' | 'expired_at'>,
): JsonObject | undefined {
  const known = expired_at === undefined ? kinds.get(kind) : undefined
  if (known?.callerOf !== undefined) return known.callerOf(state)
  const caller = isJsonObject(state) ? state['caller'] : undefined
  return caller !== undefined && isJsonObject(caller) ? caller : undefined
}

export function ownedRun(
  kinds: CallersOfKinds,
  row: Pick<RunRow, 'kind' | 'state' | 'owner' | 'expired_at'>,
): OwnedRun {
  return { owner: row.owner, caller: Caller.safeParse(callerOfRun(kinds, row)).data }
}

/** Intermediate output contains content: only the caller that made the run and its user get it, overseers do not. */
export function maySeeOutput(caller: Caller, run: OwnedRun): boolean {
  const isOwn = ownerOf(run)?.user === caller.user
  return isOwn && run.caller !== undefined && mayReadWorkOf(caller, run.caller)
}

/**
 * A program sees the runs that it may continue, a person those made in their name, an approver all. Invisible runs are reported as missing.
 * A run that does not say what its credential granted may be about any tool, so a limited key does not see it.
 */
export function maySeeRun(caller: Caller, run: OwnedRun): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  if (run.caller !== undefined) return mayReadWorkOf(caller, run.caller)
  if (caller.grant !== undefined) return false
  if (PROGRAM_KINDS.includes(caller.kind)) return run.owner === callerIdentity(caller)
  return ownerOf(run)?.user === caller.user
}
