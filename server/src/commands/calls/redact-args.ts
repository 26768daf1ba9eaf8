import type { Json } from '../../contract/json.ts'
import { Bug } from '../../contract/problems.ts'
import type { CompiledRules } from '../../core/dlp/compile-rules.ts'
import { redactJson } from '../../core/dlp/redact-json.ts'
import { canonicalJson } from '../../core/json/canonical.ts'

/** Arguments for people and for rows that will never run: as written, with what is secret replaced. */
export function redactArgs(canonical_args: string, rules: CompiledRules): string {
  const args: Json = JSON.parse(canonical_args)
  const text = canonicalJson(redactJson(args, rules).value)
  if (!text.ok) throw new Bug('redacted arguments have a canonical form')
  return text.value
}
