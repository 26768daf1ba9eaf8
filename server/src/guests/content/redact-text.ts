import type { CompiledRules } from './compile-rules.ts'
import { findSensitive } from './find-sensitive.ts'
import { replaced } from './replace-matches.ts'
import type { TextMatch } from './rule.ts'

/** A text with everything sensitive replaced by `[REDACTED_<TYPE>]`, and the findings, located in the original. */
export type Redacted = { readonly text: string; readonly findings: readonly TextMatch[] }

/**
 * Redacts a text in one pass, from right to left.
 * INVARIANT: no finding's text remains, and redacting twice changes nothing more (laws in redact-text.test.ts).
 */
export function redactText(text: string, rules: CompiledRules): Redacted {
  const findings = findSensitive(text, rules)
  return { text: replaced(text, findings), findings }
}
