import type { Json } from '../contract/json.ts'

const MARK = '[REDACTED_'

/** Whether something was redacted in a value: then it is not the tool's original answer, and must not be relied on. */
export function isRedacted(value: Json): boolean {
  return JSON.stringify(value).includes(MARK)
}
