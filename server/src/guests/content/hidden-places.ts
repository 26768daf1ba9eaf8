import type { HiddenPlace } from '../../kernel/contract/approval.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { CompiledRules } from './compile-rules.ts'
import { redactJson, type JsonFinding } from './redact-json.ts'

/** What redaction hides in one part of a packet. */
export function hiddenPlaces(part: HiddenPlace['in'], value: Json, rules: CompiledRules): HiddenPlace[] {
  return placesOf(part, redactJson(value, rules).findings)
}

/** A longer list would not be read. */
const MOST_PLACES = 200

/** The findings as places. Those beyond the limit become one place without a pointer. */
export function placesOf(part: HiddenPlace['in'], findings: readonly JsonFinding[]): HiddenPlace[] {
  const lengthOf = ({ start, end }: JsonFinding) => end - start
  const places = findings
    .slice(0, MOST_PLACES)
    .map((finding): HiddenPlace => ({ in: part, at: finding.place, type: finding.type, length: lengthOf(finding) }))
  const rest = findings.slice(MOST_PLACES)
  if (rest.length === 0) return places
  const length = rest.reduce((sum, finding) => sum + lengthOf(finding), 0)
  return [...places, { in: part, at: '', type: `${rest.length}_MORE`, length }]
}

/** The same for a preview. Pictures and sounds are skipped. */
export function hiddenInPreview({ content, structuredContent }: ToolResult, rules: CompiledRules): HiddenPlace[] {
  const texts: JsonObject = {
    content: content.map(withoutBytes),
    ...(structuredContent === undefined ? {} : { structuredContent }),
  }
  return hiddenPlaces('preview', texts, rules)
}

function withoutBytes({ data: _, ...block }: JsonObject): JsonObject {
  const { resource } = block
  if (!isJsonObject(resource)) return block
  const { blob: __, ...text } = resource
  return { ...block, resource: text }
}
