import type { Json } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import { parseIJson } from '../core/json/parse-ijson.ts'

/** The one way doors read JSON text: what is not I-JSON is refused, not repaired. */
export function readJson(text: string): Result<Json> {
  return parseIJson(text)
}
