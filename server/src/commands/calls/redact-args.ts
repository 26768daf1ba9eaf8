import type { Json } from '../../contract/json.ts'
import { Bug } from '../../contract/problems.ts'
import type { CompiledRules } from '../../core/dlp/compile-rules.ts'
import { redactJson } from '../../core/dlp/redact-json.ts'
import type { OwnCredentials } from '../../core/gate/own-credentials/find-own.ts'
import { strikeOwnJson } from '../../core/gate/own-credentials/strike-own.ts'
import { canonicalJson } from '../../core/json/canonical.ts'

/** Arguments for people and for rows that will never run: as written, with what is secret replaced. */
export function redactArgs(canonical_args: string, rules: CompiledRules, own?: OwnCredentials): string {
  const written: Json = JSON.parse(canonical_args)
  const args = own === undefined ? written : strikeOwnJson(written, own)
  const text = canonicalJson(redactJson(args, rules).value)
  if (!text.ok) throw new Bug('redacted arguments have a canonical form')
  return text.value
}
