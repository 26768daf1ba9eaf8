import { FETCH } from './lexicon/vocabulary.ts'
import type { Profile } from './profile.ts'
import type { Ask, Session } from './session.ts'

/**
 * The texts that ask for this tool too. A text whose acts no lexicon knows may ask for anything, so it contests every tool; one that
 * names other acts and other things contests none.
 */
export function contestsOf(session: Session, profile: Profile, hasValue: (ask: Ask) => boolean): readonly Ask[] {
  return session.asks.filter((ask) => fits(ask, profile) || hasValue(ask))
}

function fits({ groups, nouns }: Ask, profile: Profile): boolean {
  const acts = groups & ~FETCH
  if (acts === 0 && profile.groups !== FETCH) return groups === 0 || shares(nouns, profile)
  return (groups & profile.groups) !== 0 || shares(nouns, profile)
}

function shares(nouns: ReadonlySet<number>, profile: Profile): boolean {
  for (const noun of profile.nouns) if (nouns.has(noun)) return true
  for (const verb of profile.verbs) if (nouns.has(verb)) return true
  return false
}
