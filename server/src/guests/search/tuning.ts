import type { Field } from './searchable-tool.ts'

/**
 * How a field counts: its weight, its typical length in words, and how much a longer text is discounted (0 not at all, 1 fully).
 */
export type FieldTuning = { readonly weight: number; readonly usual: number; readonly discount: number }

export type SearchTuning = {
  readonly fields: { readonly [F in Field]: FieldTuning }
  /** The maximum total weight of a tool's words; beyond it each of them counts less. */
  readonly fullest: number
  /** The weighted frequency at which a term has half of its maximum effect. */
  readonly saturation: number
  /**
   * The weight of a match that is not the word itself: a synonym, its kind, a joined or split compound, a longer form, a typo.
   */
  readonly synonym: number
  readonly topic: number
  /** The weight of a word's kind if some tool contains the word itself. */
  readonly topicBeside: number
  readonly compound: number
  readonly prefix: number
  readonly typo: number
  /** The weight of a query word that is chatter, a literal, a number, or in a sentence that only gives background. */
  readonly request: number
  readonly quoted: number
  readonly placeholder: number
  readonly number: number
  readonly context: number
  /** The bonus if the query contains all of a tool's name. */
  readonly nameCoverage: number
  /** The bonus for overall similarity of tool and query. */
  readonly likeness: number
  /** A sentence with fewer words is not a separate request. */
  readonly shortClause: number
  /** How much a tool keeps of its score outside its best clause. */
  readonly whole: number
  /** How much a clause still counts for the next tool after one was picked for it. */
  readonly answered: number
  /** How much the strongest word of a picked tool still counts for the next one that contains it. */
  readonly repeated: number
  /** The weight of looking a thing up in a clause that calls it by a name. */
  readonly lookup: number
  /** The weight of listing things in a clause that speaks of several or of the caller's own. */
  readonly listing: number
  /** How much a tool that changes something loses if the query asks for no such change. */
  readonly unasked: number
}

/** Chosen by measurement over all public sets together (docs/decisions/search.md); none is specific to one set. */
export const TUNING: SearchTuning = {
  fields: {
    name: { weight: 2.5, usual: 3, discount: 0.5 },
    title: { weight: 2, usual: 4, discount: 0.3 },
    description: { weight: 1.5, usual: 15, discount: 0.75 },
    tags: { weight: 1.5, usual: 3, discount: 0.3 },
    parameters: { weight: 0.6, usual: 6, discount: 0.35 },
    'parameter text': { weight: 0.6, usual: 40, discount: 0.5 },
    server: { weight: 0.7, usual: 3, discount: 0.3 },
  },
  fullest: 70,
  saturation: 1,
  synonym: 0.45,
  topic: 0.5,
  topicBeside: 0.2,
  compound: 0.5,
  prefix: 0.3,
  typo: 0.3,
  request: 0.3,
  quoted: 0.35,
  placeholder: 0.35,
  number: 0.3,
  context: 0.6,
  nameCoverage: 0.6,
  likeness: 0.3,
  shortClause: 4.5,
  whole: 0.4,
  answered: 0.7,
  repeated: 0.85,
  lookup: 0.4,
  listing: 0.2,
  unasked: 0.3,
}
