import { DECIDING_KINDS, PROGRAM_KINDS, type Caller } from '../../contract/caller.ts'
import { callerIdentity, type CallerNames } from '../../contract/caller-identity.ts'
import type { RunRow } from '../../contract/run.ts'
import type { ShownRun } from './run-output.ts'

/** The two names in a run's owner; undefined for a run of the gate itself, and for an unreadable owner. */
export function ownerOf({ owner }: Pick<RunRow, 'owner'>): CallerNames | undefined {
  if (owner === undefined) return undefined
  try {
    const [id, user] = JSON.parse(owner) as readonly unknown[]
    return typeof id === 'string' && typeof user === 'string' ? { id, user } : undefined
  } catch {
    return undefined
  }
}

/** Intermediate output contains content: only the caller that made the run and its user get it, overseers do not. */
export function maySeeOutput(caller: Caller, { owner }: Pick<ShownRun, 'owner'>): boolean {
  if (owner === undefined || caller.grant?.tools !== undefined) return false
  if (owner === callerIdentity(caller)) return true
  return !PROGRAM_KINDS.includes(caller.kind) && ownerOf({ owner })?.user === caller.user
}

/**
 * A program sees its own runs, a person those made in their name, an approver all. Invisible runs are reported as missing. A run
 * may be about any tool, so a key that is limited to some tools sees none.
 */
export function maySeeRun(caller: Caller, row: Pick<RunRow, 'owner'>): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  if (caller.grant?.tools !== undefined) return false
  if (PROGRAM_KINDS.includes(caller.kind)) return row.owner === callerIdentity(caller)
  return ownerOf(row)?.user === caller.user
}
