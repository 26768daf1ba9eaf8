import { problem, type Problem } from '../contract/problems.ts'
import type { Committed, InDoubt } from '../ports/ledger.ts'

/**
 * Nothing that depends on this commit may be done, and there is nothing to reload: it is not stored, or this is not known yet.
 */
export function isUnrecorded(word: Committed): word is 'unavailable' | InDoubt {
  return word === 'unavailable' || isInDoubt(word)
}

export function isInDoubt(word: Committed): word is InDoubt {
  return typeof word === 'object' && 'in_doubt' in word
}

/** The problem for a caller whose commit failed. Only `unavailable` means that nothing is stored. */
export function whyUnrecorded(word: Committed, about?: Problem['about']): Problem {
  return problem(isInDoubt(word) ? 'audit.in_doubt' : 'audit.unavailable', about)
}

export function refuseUnrecorded(
  word: Committed,
  about?: Problem['about'],
): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: whyUnrecorded(word, about) }
}

/** The index of the change that made the commit lose. */
export function lostAt(word: Committed): number | undefined {
  return typeof word === 'object' && 'lost' in word ? word.lost : undefined
}
