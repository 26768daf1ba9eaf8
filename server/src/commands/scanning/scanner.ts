import type { HiddenPlace } from '../../contract/approval.ts'
import type { ToolResult } from '../../contract/call.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import type { Result } from '../../contract/problems.ts'
import type { ShownArgs } from '../../contract/redaction.ts'
import type { ArgScan } from '../../core/dlp/scan-args.ts'
import { isSmall } from '../../core/dlp/text-slots.ts'
import type { GuardedTexts } from '../../core/gate/guarded-texts.ts'
import type { OwnCredentials } from '../../core/gate/own-credentials/find-own.ts'
import type { Trap } from '../../core/gate/traps/traps.ts'
import type { Soon } from '../ports/runtime.ts'

/** `shown`: what people see, without secrets. `outputs`: what tool servers answer, as the operator wants it. `messages`: what people write to the agent. */
export type RuleSet = 'shown' | 'outputs' | 'messages'

/**
 * Work on texts of callers and tool servers whose time depends on the text: searched for secrets and personal data, for the
 * gate's own credentials and bait, checked against a schema. Small ones at once, large ones off the event loop and within limits
 * of time and number.
 * INVARIANT: a search that could not be finished is `unknown`; nothing is ever passed on unsearched.
 */
export interface Scanner {
  /** What is sensitive in the arguments of a call. */
  args(canonical_args: string): Soon<ArgScan | 'unknown'>
  /** The arguments without their secrets. What could not be searched is hidden as a whole. */
  shownArgs(canonical_args: string): Soon<ShownArgs>
  /** What redaction hides of a preview. */
  hiddenInPreview(preview: ToolResult): Soon<readonly HiddenPlace[]>
  /**
   * A value with every text in it redacted. A text that could not be searched is replaced as a whole. Texts in fields called
   * as in `kept` stay as they are.
   */
  redact<T extends Json>(value: T, rules: RuleSet, kept?: readonly string[]): Soon<T>
  /** What no call may carry. Always found out, at worst here and now: it takes a time that grows with the length alone. */
  guarded(canonical_args: string, own: OwnCredentials, traps: readonly Trap[]): Soon<GuardedTexts>
  /** A value without any of the gate's own credentials; the value itself where there is none. The same holds as for `guarded`. */
  strike<T extends Json>(value: T, own: OwnCredentials): Soon<T>
  /** A JSON text in which everything can be seen (`visibleText`). One that could not be finished is hidden as a whole. */
  visible(json: string): Soon<string>
  /** Checks a value against a schema, which `key` determines. A check that could not be finished fails. */
  validate(schema: JsonObject, key: string, value: Json): Soon<Result<void>>
}

/** What is searched at once: a few milliseconds even for text made to be slow. */
export const SMALL_TEXT = 4_096
export const isSmallValue = (value: Json): boolean => isSmall(value, SMALL_TEXT)
