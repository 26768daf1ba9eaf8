import type { ToolflowVerdict } from './api.ts'

/** The newest health record: its score, or why there is none. */
export type ScoreFact =
  | { readonly is: 'known'; readonly score: number; readonly at: number; readonly source: string }
  | { readonly is: 'unknown'; readonly says: string; readonly source: string }

/** The answer of the operator's gate provider. `no_answer`: it was asked and gave no readable answer. */
export type ProviderFact = {
  readonly source: string
  readonly word: ToolflowVerdict | 'no_answer'
  /** The answer as a sentence, without quoting the provider's text. */
  readonly says: string
  readonly total_score?: number
}

/** 0 to 100, from a provider. If the provider fails, the risk is unknown, never zero. */
export type RiskFact = { readonly score: number | 'unknown'; readonly source: string }

/** Everything the `health` decider uses. */
export type HealthFact = {
  /** Only set if the gate runs in test mode. */
  readonly forced?: ToolflowVerdict
  readonly provider?: ProviderFact
  readonly newest: ScoreFact
  readonly max_age_ms: number
  readonly risk: RiskFact
}

declare module '../../kernel/decide/facts.ts' {
  interface Facts {
    /** `off` where the operator has no `serenity` section. */
    readonly health: HealthFact | 'off'
  }
}
