import type { ToolResult } from '../../../contract/call.ts'
import type { Json } from '../../../contract/json.ts'
import { parseIJson } from '../../json/parse-ijson.ts'

/**
 * What paths into a tool's answer count from: its structured content, or, for a tool that answers in words, the words as
 * `text` and, where they are JSON, what they say as `json`.
 */
export function answerValue(result: ToolResult): Json {
  if (result.structuredContent !== undefined) return result.structuredContent
  const words = result.content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []))
  const text = words.join('\n')
  const json = parseIJson(text)
  return json.ok ? { text, json: json.value } : { text }
}
