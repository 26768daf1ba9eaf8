import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { findInField, redactJson } from './redact-json.ts'
import { replaced } from './replace-matches.ts'
import { TextSlots } from './text-slots.ts'
import { parsedArgs } from '../../kernel/attempt/call-args.ts'
import { findGuarded } from './guarded-texts.ts'
import { redactOwnJson } from './redact-own.ts'
import { validateAgainst, validateBriefly } from '../../kernel/json/validate-args.ts'
import { runScanJob } from './scan-job.ts'
import type { ScanRules } from './scan-rules.ts'
import type { RuleSet } from '../../kernel/ports/scanner.ts'
import type { TextScanner } from './text-scanner.ts'

/** Searches everything synchronously, whatever its size: for small texts, or if nothing else has to run. */
export function inlineScanner(rules: ScanRules): TextScanner {
  return {
    args: (canonical_args) => runScanJob({ do: 'args', canonical_args }, rules),
    shownArgs: (canonical_args) => runScanJob({ do: 'shown', canonical_args }, rules),
    hiddenInPreview: (preview) => runScanJob({ do: 'preview', preview }, rules),
    redact: (value, set, kept) => redactNow(value, set, rules, kept),
    guarded: (canonical_args, own, traps) => findGuarded(parsedArgs(canonical_args), own, traps),
    redactOwn: (value, own) => redactOwnJson(value, own),
    visible: visibleText,
    validate: validateAgainst,
  }
}

/** Redaction replaces texts by texts, and a number by a text if the number itself is sensitive. */
export function redactNow<T extends Json>(value: T, set: RuleSet, rules: ScanRules, kept?: readonly string[]): T {
  const compiled = rules[set]
  if (compiled === undefined) return value
  if (kept === undefined) return redactJson(value, compiled).value as T
  const tree = new TextSlots(value, kept)
  for (const { name, text, put } of tree.slots()) put(replaced(text, findInField(text, name, compiled)))
  return tree.result() as T
}

/** Validates a value if that is fast enough to do synchronously. */
export function validateNow(schema: JsonObject, key: string, value: Json): Result<void> | 'takes_long' {
  return validateBriefly(schema, key, value)
}
