import type { ToolResult } from '../contract/call.ts'
import type { Json } from '../contract/json.ts'
import { parseIJson } from '../json/parse-ijson.ts'

/**
 * The root for paths into a tool's answer: its structured content or, if there is none, an object with the answer's `text` and,
 * if that is JSON, its value as `json`.
 */
export function answerValue(result: ToolResult): Json {
  if (result.structuredContent !== undefined) return result.structuredContent
  const words = result.content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []))
  const text = words.join('\n')
  const json = parseIJson(text)
  return json.ok ? { text, json: json.value } : { text }
}
