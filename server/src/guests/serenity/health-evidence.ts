import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { ToolflowVerdict } from './api.ts'

/** A health file in the folder. If it has no text it could not be read, and `fault` says why. The same object while unchanged. */
export type HealthFile = {
  readonly name: string
  readonly changed_at: number
  readonly text?: string
  readonly fault?: string
}

/** An operator's own service that is asked about a call. Undefined if it does not answer in time. */
export type HealthProvider = {
  readonly source: string
  ask(question: JsonObject): Promise<Json | undefined>
}

/** The evidence for the `serenity` section. */
export interface HealthEvidence {
  /** Undefined if the folder cannot be read. */
  files(): Promise<readonly HealthFile[] | undefined>
  readonly gate?: HealthProvider
  readonly risk?: HealthProvider
  readonly max_age_ms: number
  /** Only in test mode. */
  readonly forced?: ToolflowVerdict
}
