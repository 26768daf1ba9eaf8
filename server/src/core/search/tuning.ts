import type { Field } from './searchable-tool.ts'

/** How a field counts: its weight, its usual length in words, and how far a longer text is discounted (0 not at all, 1 in full). */
export type FieldTuning = { readonly weight: number; readonly usual: number; readonly discount: number }

export type Tuning = {
  readonly fields: { readonly [F in Field]: FieldTuning }
  /** The weighted frequency at which a term has half of its greatest effect. */
  readonly saturation: number
  /** What a match by another form of the word counts. */
  readonly synonym: number
  readonly topic: number
  readonly context: number
  readonly prefix: number
  readonly typo: number
  readonly compound: number
  /** What a word counts by where it stands in the query. */
  readonly request: number
  readonly quoted: number
  readonly placeholder: number
  readonly number: number
  readonly capital: number
  /** How much of the whole query's score a tool keeps beside its best clause. */
  readonly whole: number
  readonly shortClause: number
  /** What is gained when the query says all of a tool's name. */
  readonly nameCoverage: number
  /** What a word still counts in the same clause after a better tool has answered it. */
  readonly answered: number
}

export const TUNING: Tuning = {
  fields: {
    name: { weight: 3, usual: 3, discount: 0.3 },
    title: { weight: 2, usual: 4, discount: 0.3 },
    description: { weight: 1, usual: 15, discount: 0.5 },
    tags: { weight: 1, usual: 3, discount: 0.3 },
    parameters: { weight: 0.6, usual: 6, discount: 0.5 },
    'parameter text': { weight: 0.4, usual: 40, discount: 0.5 },
    server: { weight: 0.8, usual: 3, discount: 0.3 },
  },
  saturation: 1.2,
  synonym: 0.4,
  topic: 0.3,
  context: 0.4,
  prefix: 0.3,
  typo: 0.4,
  compound: 0.8,
  request: 0.3,
  quoted: 0.5,
  placeholder: 0.5,
  number: 0.2,
  capital: 0.7,
  whole: 0.4,
  shortClause: 3,
  nameCoverage: 0.5,
  answered: 0.7,
}
