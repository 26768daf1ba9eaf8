import { foldedName } from '../contract/folded-name.ts'
import { DECIDING_KINDS, LOCAL_OWNER } from '../contract/caller.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { credentialState } from './credential-state.ts'

export type ApproverPorts = {
  readonly tables: Tables
  readonly clock: Clock
  /** People who decide without one of our keys: `unknown` if an issuer assigns roles or a hub decides, otherwise the users of callbacks. */
  readonly otherApprovers: readonly string[] | 'unknown'
}

const PAGE = 1_000

/** How many people can decide requests. Undefined if unknown. */
export const countApprovers = async (deps: ApproverPorts): Promise<number | undefined> => (await approvers(deps))?.size

/**
 * The people who can decide requests: those who have a key for it, and the owner of the data folder, who needs none. Undefined
 * if unknown. People are identified by `user`, as a folded name; one may have several keys.
 */
export async function approvers(deps: ApproverPorts): Promise<ReadonlySet<string> | undefined> {
  const { tables, clock, otherApprovers } = deps
  if (otherApprovers === 'unknown') return undefined
  try {
    const held = await tables.list('credentials', {}, { limit: PAGE })
    if (held.length === PAGE) return undefined
    const now = clock()
    const deciding = held
      .map(({ row }) => row)
      .filter((row) => DECIDING_KINDS.includes(row.caller.kind) && credentialState(row, now) === 'active')
    return new Set([LOCAL_OWNER.user, ...otherApprovers, ...deciding.map(({ caller }) => caller.user)].map(foldedName))
  } catch {
    return undefined
  }
}
