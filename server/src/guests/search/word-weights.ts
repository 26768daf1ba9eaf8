import { stem } from './stem.ts'

/**
 * What a word of a request counts, relative to other words. A word that the right tool seldom contains says little about the tool,
 * even if it is rare in a catalogue: "accurate", "ensure", "various". Written by bench/search/learn-word-weights.ts, from public
 * requests and the tools they need.
 */
const LINES = `
0.3: called com ensure features next obtain relevant see various watch
0.4: accurate enhance example first following gather ideas improve keep today visit
0.5: abc across advancements around ask better chicago considering engaging even find highlights including latest meeting offers
0.5: old online options org previous professional receive related san say station tasks uk
0.6: abilities admin angeles appropriate articles australia boston buy check compare db deals easily experience explore fetch
0.6: francisco guidance https important instructions intelligence japan java living local london los natural navigation part past
0.6: planning popular potential purchase request skills solution stay successful summary tech three trends trip utilize weekend
0.6: world write york
0.7: additional associated awareness break car change creative describe development display document enable entertainment extensive
0.7: functionality handle life long members money multiple new note notify outdoor pay place preferably present reach ready
0.7: response select self set share shopping short show support topic trading upcoming visually
0.8: account advice api arrival brief capital cc chat click combines competitor config conversation customer decision diverse drive
0.8: entire field full garden goals highest immediately insights interactive journey lax left link match max mention move open
0.8: operation paris performance person phrase practices project range read recent results road scientific second shape small
0.8: software source stand star states study talk term tesla top total travel two university workout
`

/** By stem. All other words count 1. */
export const WORD_WEIGHTS: ReadonlyMap<string, number> = new Map(
  LINES.trim()
    .split('\n')
    .flatMap((line) => {
      const [weight, words = ''] = line.split(': ')
      return words.split(' ').map((word) => [stem(word), Number(weight)] as const)
    }),
)
