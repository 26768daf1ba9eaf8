import { UNSCANNED } from '../../kernel/contract/redaction.ts'
import { selectRules, type CompiledRules } from './compile-rules.ts'
import { redactText } from './redact-text.ts'
import { compiledBuiltIn } from './rules/compiled-built-in.ts'
import { SMALL_TEXT } from '../../kernel/ports/scanner.ts'

let secrets: CompiledRules | undefined

/** A log line without secrets, and of limited length. The rules are compiled when the first line is written. */
export function scrubText(text: string): string {
  secrets ??= secretRules()
  if (text.length <= SMALL_TEXT) return redactText(text, secrets).text
  // Cut between two words: half a secret would not be recognized.
  const cut = text.slice(0, SMALL_TEXT)
  const end = Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'), 0)
  return `${redactText(cut.slice(0, end), secrets).text} [REDACTED_${UNSCANNED}]`
}

function secretRules(): CompiledRules {
  return selectRules(compiledBuiltIn(), (rule) => (rule.kind === 'secret' ? rule : undefined))
}
