import type { GateWord } from '../../../contract/serenity.ts'

/** The newest health record: its score, or why it has none. */
export type ScoreFact =
  | { readonly is: 'known'; readonly score: number; readonly at: number; readonly source: string }
  | { readonly is: 'unknown'; readonly says: string; readonly source: string }

/** What the operator's own gate said. `unheard`: it was asked and gave no answer that can be read. */
export type ProviderFact = {
  readonly source: string
  readonly word: GateWord | 'unheard'
  /** Its answer in a sentence, without any of its text. */
  readonly says: string
  readonly total_score?: number
}

/** 0 to 100, from a provider. A provider that fails makes the risk unknown, never zero. */
export type RiskFact = { readonly score: number | 'unknown'; readonly source: string }

/** Everything the `health` decider looks at. */
export type HealthFact = {
  /** Only where the gate runs in test mode. */
  readonly forced?: GateWord
  readonly provider?: ProviderFact
  readonly newest: ScoreFact
  readonly max_age_ms: number
  readonly risk: RiskFact
}
