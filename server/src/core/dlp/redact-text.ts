import type { CompiledRules } from './compile-rules.ts'
import { findSensitive } from './find-sensitive.ts'
import type { Finding } from './rule.ts'

/** A text with everything sensitive replaced by `[REDACTED_<TYPE>]`, and what it was, located on the original. */
export type Redacted = { readonly text: string; readonly findings: readonly Finding[] }

/**
 * Redacts a text in one pass, from right to left.
 * INVARIANT: no finding's text is left where it stood, and a redacted text is its own redaction (laws in redact-text.test.ts).
 */
export function redactText(text: string, rules: CompiledRules): Redacted {
  const findings = findSensitive(text, rules)
  return { text: replaced(text, findings), findings }
}

/** Replaces findings that do not overlap. */
export function replaced(text: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return text
  const parts: string[] = []
  let end = text.length
  for (const finding of findings.toReversed()) {
    parts.push(text.slice(finding.end, end), `[REDACTED_${finding.type}]`)
    end = finding.start
  }
  parts.push(text.slice(0, end))
  return parts.toReversed().join('')
}
