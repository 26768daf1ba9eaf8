import { FETCH } from './lexicon/vocabulary.ts'
import type { Profile } from './profile.ts'
import type { UserSentence, UserWords } from './user-words.ts'

/**
 * Whether the user's words ask for a tool. `strong`: a request with the tool's verb and its object, or with a target that the
 * user typed. `weak`: only a verb or an object. `plausible`: they are about the same things.
 */
export type Licence = 'strong' | 'weak' | 'plausible' | 'none'

export type LicenceFound = { readonly licence: Licence; readonly utterance?: number }

export function licenceOf(profile: Profile, user: UserWords, typedTarget: boolean): LicenceFound {
  let best: LicenceFound = { licence: 'none' }
  for (const sentence of user.sentences) {
    const licence = fit(profile, sentence, typedTarget)
    // The latest of equal ones: an earlier request may have been carried out already.
    if (rank(licence) >= rank(best.licence)) best = { licence, utterance: sentence.utterance }
  }
  return best
}

const RANKS: readonly Licence[] = ['none', 'plausible', 'weak', 'strong']
const rank = (licence: Licence): number => RANKS.indexOf(licence)

function fit({ groups, verbs, nouns, fields }: Profile, sentence: UserSentence, typedTarget: boolean): Licence {
  const acts = (sentence.groups & groups & ~FETCH) !== 0 || [...verbs].some((verb) => sentence.nouns.has(verb))
  const things = count(nouns, sentence.nouns, verbs)
  if (acts && (things > 0 || typedTarget)) return sentence.asks ? 'strong' : 'weak'
  if (acts && sentence.asks) return 'weak'
  if (things > 0) return sentence.asks ? 'weak' : 'plausible'
  if (acts || typedTarget || count(fields, sentence.nouns, verbs) > 0) return 'plausible'
  return 'none'
}

function count(wanted: ReadonlySet<number>, said: ReadonlySet<number>, except: ReadonlySet<number>): number {
  let found = 0
  for (const noun of wanted) if (said.has(noun) && !except.has(noun)) found += 1
  return found
}
