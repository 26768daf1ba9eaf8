import { Bug } from '../../contract/problems.ts'
import { compileRules, type CompiledRules } from '../../core/dlp/compile-rules.ts'
import { redactText } from '../../core/dlp/redact-text.ts'
import { BUILT_IN_RULES } from '../../core/dlp/rules/built-in-rules.ts'

let secrets: CompiledRules | undefined

/** A line for the log without the secrets in it. The rules are compiled when the first line is written. */
export function scrubText(text: string): string {
  secrets ??= secretRules()
  return redactText(text, secrets).text
}

function secretRules(): CompiledRules {
  const compiled = compileRules(
    BUILT_IN_RULES.filter(({ kind }) => kind === 'secret'),
    [],
  )
  if (!compiled.ok) throw new Bug('a built-in rule does not compile')
  return compiled.value
}
