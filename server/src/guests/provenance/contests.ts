import { FETCH } from './lexicon/vocabulary.ts'
import type { AsksWith } from './places.ts'
import type { Profile } from './profile.ts'
import type { UserAsk, Session } from './session.ts'

/**
 * The texts that ask for this tool too. A text whose actions are in no lexicon may ask for anything, so it contests every tool;
 * one that names other actions and other things contests none. `withValue`: the texts that contain a value of the call.
 */
export function contestsOf(session: Session, profile: Profile, withValue: AsksWith): readonly UserAsk[] {
  return session.asks.filter((ask) => withValue === 'any' || withValue.has(ask) || fits(ask, profile))
}

function fits({ groups, nouns }: UserAsk, profile: Profile): boolean {
  const acts = groups & ~FETCH
  if (acts === 0 && profile.groups !== FETCH) return groups === 0 || shares(nouns, profile)
  return (groups & profile.groups) !== 0 || shares(nouns, profile)
}

function shares(nouns: Uint32Array, profile: Profile): boolean {
  for (const noun of profile.nouns) if (has(nouns, noun)) return true
  for (const verb of profile.verbs) if (has(nouns, verb)) return true
  return false
}

/** In a sorted list. */
function has(sorted: Uint32Array, wanted: number): boolean {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = sorted[middle] ?? 0
    if (found === wanted) return true
    if (found < wanted) low = middle + 1
    else high = middle - 1
  }
  return false
}
