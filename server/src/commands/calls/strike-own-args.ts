import type { Json } from '../../contract/json.ts'
import { Bug } from '../../contract/problems.ts'
import type { OwnCredentials } from '../../core/gate/own-credentials/find-own.ts'
import { strikeOwnJson } from '../../core/gate/own-credentials/strike-own.ts'
import { canonicalJson } from '../../core/json/canonical.ts'

/** Arguments for rows that will never run: as written, without any of the gate's own credentials. */
export function strikeOwnArgs(canonical_args: string, own: OwnCredentials): string {
  const text = canonicalJson(strikeOwnJson(JSON.parse(canonical_args) as Json, own))
  if (!text.ok) throw new Bug('redacted arguments have a canonical form')
  return text.value
}
