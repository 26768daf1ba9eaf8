import type { HiddenPlace } from '../contract/approval.ts'
import type { ToolResult } from '../contract/call.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import type { ShownArgs } from '../contract/redaction.ts'
import type { ArgScan } from '../../guests/content/scan-args.ts'
import { isSmall } from '../../guests/content/text-slots.ts'
import type { GuardedTexts } from '../../guests/content/guarded-texts.ts'
import type { OwnCredentials } from '../../guests/content/find-own.ts'
import type { Trap } from '../../guests/content/traps.ts'
import type { MaybePromise } from './runtime.ts'

/**
 * `shown`: what people see, without secrets. `outputs`: answers of tool servers, as configured by the operator. `messages`: what
 * people write to the agent.
 */
export type RuleSet = 'shown' | 'outputs' | 'messages'

/**
 * Work on texts of callers and tool servers whose time depends on the text: searching for secrets and personal data, for the
 * gate's own credentials and honey tokens, and validating against a schema. Small texts synchronously, large ones off the event
 * loop and within limits of time and number.
 * INVARIANT: a search that could not be completed is `unknown`; nothing is ever passed on unsearched.
 */
export interface Scanner {
  /** What is sensitive in the arguments of a call. */
  args(canonical_args: string): MaybePromise<ArgScan | 'unknown'>
  /** The arguments without their secrets. Arguments that could not be searched are hidden as a whole. */
  shownArgs(canonical_args: string): MaybePromise<ShownArgs>
  /** What redaction hides in a preview. */
  hiddenInPreview(preview: ToolResult): MaybePromise<readonly HiddenPlace[]>
  /**
   * A value with every text in it redacted. A text that could not be searched is replaced as a whole. Texts in fields named in
   * `kept` stay unchanged.
   */
  redact<T extends Json>(value: T, rules: RuleSet, kept?: readonly string[]): MaybePromise<T>
  /** What no call may carry. Always completed, if necessary synchronously: its time grows only with the length. */
  guarded(canonical_args: string, own: OwnCredentials, traps: readonly Trap[]): MaybePromise<GuardedTexts>
  /** A value without any of the gate's own credentials; the value itself if there is none. Always completed, like `guarded`. */
  redactOwn<T extends Json>(value: T, own: OwnCredentials): MaybePromise<T>
  /** A JSON text in which everything is visible (`visibleText`). If it could not be completed, it is hidden as a whole. */
  visible(json: string): MaybePromise<string>
  /** Validates a value against a schema, which `key` determines. A check that could not be completed fails. */
  validate(schema: JsonObject, key: string, value: Json): MaybePromise<Result<void>>
}

/** What is searched synchronously: a few milliseconds even for text made to be slow. */
export const SMALL_TEXT = 4_096
export const isSmallValue = (value: Json): boolean => isSmall(value, SMALL_TEXT)
