import type { HiddenPlace } from '../contract/approval.ts'
import type { ToolResult } from '../contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import type { ShownArgs } from '../contract/redaction.ts'
import type { MaybePromise } from './runtime.ts'

/**
 * `shown`: what people see, without secrets. `outputs`: answers of tool servers, as configured by the operator. `messages`: what
 * people write to the agent.
 */
export type RuleSet = 'shown' | 'outputs' | 'messages'

/**
 * Work on texts of callers and tool servers whose time depends on the text: removing secrets, personal data and the gate's own
 * credentials, and validating against a schema. Small texts synchronously, large ones off the event loop and within limits of time and
 * number.
 * INVARIANT: nothing is ever passed on unsearched.
 */
export interface Scanner {
  /** The arguments without their secrets. Arguments that could not be searched are hidden as a whole. */
  shownArgs(canonical_args: string): MaybePromise<ShownArgs>
  /** What redaction hides in a preview. */
  hiddenInPreview(preview: ToolResult): MaybePromise<readonly HiddenPlace[]>
  /**
   * A value with every text in it redacted. A text that could not be searched is replaced as a whole. Texts in fields named in
   * `kept` stay unchanged.
   */
  redact<T extends Json>(value: T, rules: RuleSet, kept?: readonly string[]): MaybePromise<T>
  /**
   * A value without any of the gate's own credentials; the value itself if there is none. Always completed, if necessary synchronously: its
   * time grows only with the length.
   */
  redactOwn<T extends Json>(value: T): MaybePromise<T>
  /** A JSON text in which everything is visible (`visibleText`). If it could not be completed, it is hidden as a whole. */
  visible(json: string): MaybePromise<string>
  /** Validates a value against a schema, which `key` determines. A check that could not be completed fails. */
  validate(schema: JsonObject, key: string, value: Json): MaybePromise<Result<void>>
}

/** What is searched synchronously: a few milliseconds even for text made to be slow. */
export const SMALL_TEXT = 4_096

/** Whether a value contains at most that many characters of text. Stops counting as soon as it does not. */
export function isSmallValue(value: Json): boolean {
  let left = SMALL_TEXT
  const open: Json[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    left -= typeof next === 'string' ? next.length + 1 : 4
    if (left < 0) return false
    if (Array.isArray(next)) {
      if (next.length > left) return false
      open.push(...(next as readonly Json[]))
    } else if (isJsonObject(next)) {
      for (const key in next) {
        left -= key.length
        if (left < 0) return false
        open.push(next[key] ?? null)
      }
    }
  }
  return true
}
