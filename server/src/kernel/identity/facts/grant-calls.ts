import type { Caller, Grant } from '../../contract/caller.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { Change } from '../../ports/ledger.ts'
import type { Accounts } from '../../ports/reads.ts'

export const grantAccount = ({ key }: Grant): string => `grant:${key}`

/** How many calls a caller's key has left; undefined if they are not limited. */
export function callsLeft(accounts: Accounts, { grant }: Caller): undefined | Promise<number> {
  return grant?.calls === undefined ? undefined : accounts.left(grantAccount(grant)).then((left) => left ?? 0)
}

/**
 * What a call spends of its caller's key, for the commit that starts or holds it. A held call spends its unit when it is held, so
 * that a key for one call cannot fill an inbox; a blocked one spends nothing.
 * INVARIANT: if callers race for the last unit, the ledger lets one through; the others' commits are lost as a whole.
 */
export function grantChanges(verdict: Verdict, { grant }: Caller): Change[] {
  const isCounted = grant?.calls !== undefined && verdict.effect !== 'block'
  return isCounted ? [{ kind: 'spend', account: grantAccount(grant), units: 1 }] : []
}
