import type { Json } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import { parseIJson } from '../core/json/parse-ijson.ts'

/** How all doors parse JSON text: what is not I-JSON is rejected, not repaired. */
export function readJson(text: string): Result<Json> {
  return parseIJson(text)
}
