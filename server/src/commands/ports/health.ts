import type { Json, JsonObject } from '../../contract/json.ts'
import type { GateWord } from '../../contract/serenity.ts'

/** A health file as it lies in the folder. Without a text it cannot be used, and `fault` says why. The same value while unchanged. */
export type HealthFile = {
  readonly name: string
  readonly changed_at: number
  readonly text?: string
  readonly fault?: string
}

/** Somebody of the operator's own who is asked about a call. Undefined when there is no answer in time. */
export type HealthProvider = {
  readonly source: string
  ask(question: JsonObject): Promise<Json | undefined>
}

/** What the `serenity` section leads to. */
export interface HealthEvidence {
  /** Undefined when the folder cannot be read. */
  files(): Promise<readonly HealthFile[] | undefined>
  readonly gate?: HealthProvider
  readonly risk?: HealthProvider
  readonly max_age_ms: number
  /** Only in test mode. */
  readonly forced?: GateWord
}
