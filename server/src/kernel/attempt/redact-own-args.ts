import type { Json } from '../contract/json.ts'
import { Bug } from '../contract/problems.ts'
import { canonicalJson } from '../json/canonical.ts'
import type { Scanner } from '../ports/scanner.ts'

/** Arguments for rows of calls that will never run: as written, without any of the gate's own credentials. */
export async function redactOwnArgs(scanner: Pick<Scanner, 'redactOwn'>, canonical_args: string): Promise<string> {
  const args = JSON.parse(canonical_args) as Json
  const redacted = await scanner.redactOwn(args)
  if (redacted === args) return canonical_args
  const text = canonicalJson(redacted)
  if (!text.ok) throw new Bug('redacted arguments have a canonical form')
  return text.value
}
