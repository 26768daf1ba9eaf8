import type { Field } from './searchable-tool.ts'

/** How a field counts: its weight, its usual length in words, and how far a longer text is discounted (0 not at all, 1 in full). */
export type FieldTuning = { readonly weight: number; readonly usual: number; readonly discount: number }

export type Tuning = {
  readonly fields: { readonly [F in Field]: FieldTuning }
  /** What all words of a tool weigh together at most; one that says more says each of them less. */
  readonly fullest: number
  /** The weighted frequency at which a term has half of its greatest effect. */
  readonly saturation: number
  /** What a match counts that is not the word itself: a synonym, its kind, a fused or split compound, a longer form, a slip. */
  readonly synonym: number
  readonly topic: number
  /** The kind of a word that some tool says itself. */
  readonly topicBeside: number
  readonly compound: number
  readonly prefix: number
  readonly typo: number
  /** What a word of the query counts that is chatter, a literal, a number, or in a sentence that only gives the background. */
  readonly request: number
  readonly quoted: number
  readonly placeholder: number
  readonly number: number
  readonly context: number
  /** What is gained when the query says all of a tool's name. */
  readonly nameCoverage: number
  /** What is gained when tool and query are alike as a whole, piece by piece. */
  readonly likeness: number
  /** The words below which a sentence is no wish of its own. */
  readonly shortClause: number
  /** How much a tool keeps of what it answers beside its best clause. */
  readonly whole: number
  /** What a clause still counts for the next tool after it has got one. */
  readonly answered: number
  /** What the word that most speaks for a tool still counts for the next one that says it. */
  readonly repeated: number
  /** What looking a thing up counts in a clause that calls it by a name. */
  readonly lookup: number
}

/** Chosen by measurement over all public sets together (docs/decisions/2026-11-15-search.md); none is there for one set. */
export const TUNING: Tuning = {
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
}
