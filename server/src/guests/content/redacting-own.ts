import type { Json } from '../../kernel/contract/json.ts'
import type { OwnCredentials } from './find-own.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { RuleSet, Scanner } from '../../kernel/ports/scanner.ts'

/**
 * One redaction for every text of people and programs: what the rules find, and the gate's own credentials. Answers of tool servers had these
 * removed when they arrived.
 */
export function redactingOwn<S extends Scanner>(scanner: S, own: () => OwnCredentials): S {
  return {
    ...scanner,
    redact<T extends Json>(value: T, set: RuleSet, kept?: readonly string[]): MaybePromise<T> {
      if (set === 'outputs') return scanner.redact(value, set, kept)
      return withResult(scanner.redactOwn(value, own()), (clean) => scanner.redact(clean, set, kept))
    },
  }
}
