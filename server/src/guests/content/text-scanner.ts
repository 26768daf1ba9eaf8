import type { Json } from '../../kernel/contract/json.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { Scanner } from '../../kernel/ports/scanner.ts'
import type { OwnCredentials } from './find-own.ts'
import type { GuardedTexts } from './guarded-texts.ts'
import type { ArgScan } from './scan-args.ts'
import type { Trap } from './traps.ts'

/** What the deciders of this guest search arguments for. A search that could not be completed is `unknown`. */
export type ContentSearch = {
  /** What is sensitive in the arguments of a call. */
  args(canonical_args: string): MaybePromise<ArgScan | 'unknown'>
  /** What no call may carry. Always completed, if necessary synchronously: its time grows only with the length. */
  guarded(canonical_args: string): MaybePromise<GuardedTexts>
}

/** A scanner that is told for each search what the gate's own credentials and honey tokens are. */
export type TextScanner = Omit<Scanner, 'redactOwn'> &
  Pick<ContentSearch, 'args'> & {
    guarded(canonical_args: string, own: OwnCredentials, traps: readonly Trap[]): MaybePromise<GuardedTexts>
    redactOwn<T extends Json>(value: T, own: OwnCredentials): MaybePromise<T>
  }
