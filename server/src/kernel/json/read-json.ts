import type { Json } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import { canonicalJson } from './canonical.ts'
import { parseIJson } from './parse-ijson.ts'

/** How all doors parse JSON text: what is not I-JSON is rejected, not repaired. */
export function readJson(text: string): Result<Json> {
  return parseIJson(text)
}

/** One text for equal values. What has no canonical form was rejected when it was read. */
export function canonicalText(value: Json): string {
  const canonical = canonicalJson(value)
  return canonical.ok ? canonical.value : JSON.stringify(value)
}
