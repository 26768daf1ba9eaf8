import type { HiddenPlace } from '../contract/approval.ts'
import type { ToolResult } from '../contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import { STRENGTHS, type Opinion, type Strength, type Verdict } from '../contract/verdict.ts'
import type { CompiledRules } from '../../guests/content/compile-rules.ts'
import { redactJson, type JsonFinding } from '../../guests/content/redact-json.ts'

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

/**
 * INVARIANT: approving something that was not fully shown takes at least a strong approval. Adds the reason to the evidence of an
 * ask; other verdicts show no packet and are returned unchanged.
 */
export function strongWhereHidden(verdict: Verdict, hidden: readonly HiddenPlace[], now: number): Verdict {
  if (verdict.effect !== 'ask' || hidden.length === 0) return verdict
  const characters = hidden.reduce((sum, { length }) => sum + length, 0)
  const opinion: Opinion = {
    decider: 'packet',
    effect: 'ask',
    rule: HIDDEN_RULE,
    says: `redaction hides ${characters} characters in ${hidden.length === 1 ? 'one place' : `${hidden.length} places`}; an approver can reveal them`,
    source: 'packet',
    at: now,
    strength: 'strong',
  }
  const others = verdict.evidence.filter(({ rule }) => rule !== HIDDEN_RULE)
  return { ...verdict, strength: atLeastStrong(verdict.strength), evidence: [...others, opinion] }
}

const HIDDEN_RULE = 'packet.hidden'

export const atLeastStrong = (strength: Strength = 'simple'): Strength =>
  STRENGTHS.indexOf(strength) < STRENGTHS.indexOf('strong') ? 'strong' : strength
