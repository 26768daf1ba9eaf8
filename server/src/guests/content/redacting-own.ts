import type { Json } from '../../kernel/contract/json.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { RuleSet, Scanner } from '../../kernel/ports/scanner.ts'
import type { OwnCredentials } from './find-own.ts'
import type { ContentSearch, TextScanner } from './text-scanner.ts'
import type { Trap } from './traps.ts'

/**
 * The scanner of a gate, which knows the gate's own credentials and honey tokens. One redaction for every text of people and programs: what
 * the rules find, and the gate's own credentials. Answers of tool servers had these removed when they arrived.
 */
export function redactingOwn<S extends TextScanner>(
  scanner: S,
  own: () => OwnCredentials,
  traps: readonly Trap[],
): Omit<S, keyof Scanner | keyof ContentSearch> & Scanner & ContentSearch {
  return {
    ...scanner,
    guarded: (canonical_args) => scanner.guarded(canonical_args, own(), traps),
    redactOwn: (value) => scanner.redactOwn(value, own()),
    redact<T extends Json>(value: T, set: RuleSet, kept?: readonly string[]): MaybePromise<T> {
      if (set === 'outputs') return scanner.redact(value, set, kept)
      return withResult(scanner.redactOwn(value, own()), (clean) => scanner.redact(clean, set, kept))
    },
  }
}
