import type { Json } from '../../../contract/json.ts'

const MARK = '[REDACTED_'

/** Whether something was struck out of a value: then it is not what the tool said, and nothing may be built on it. */
export function isRedacted(value: Json): boolean {
  return JSON.stringify(value).includes(MARK)
}
