import type { ToolResult } from '../../contract/call.ts'
import { isEmpty, type PlannedReadBack, type ReadBack, type Verified } from '../../contract/standard.ts'
import { fillExpectation, meets, sayExpectation } from './expectations.ts'
import { fillTemplate, type Sources, isRedacted, sayPlaceholder } from './template.ts'
import type { Json } from '../../contract/json.ts'
import { parseIJson } from '../../json/parse-ijson.ts'

/** `says`: why the question cannot be asked. */
export type Planned =
  { readonly ok: true; readonly plan: PlannedReadBack } | { readonly ok: false; readonly says: string }

/**
 * Fills in a declared question and its expectations.
 * INVARIANT: a missing value is never replaced by another.
 */
export function planReadBack(declared: ReadBack, sources: Sources): Planned {
  const expected = declared.expect.map(sayExpectation)
  const args = fillTemplate(declared.args, sources)
  const demands = declared.expect.map((one) => fillExpectation(one, sources))
  const absent = [args, ...demands].flatMap(({ open, missing }) => [...open, ...missing])
  if (absent.length > 0) return { ok: false, says: sayAbsent([...new Set(absent)]) }
  const expect = demands.map(({ expectation }) => expectation)
  const vacuous = expect.findIndex(({ contains }) => contains !== undefined && isEmpty(contains))
  if (vacuous >= 0)
    return {
      ok: false,
      says: `${expected[vacuous]}: an empty value is contained in every answer, so it proves nothing`,
    }
  return { ok: true, plan: { tool: declared.tool, args: args.value, expect, expected } }
}

/** What the answer to a planned question means. An error is not an answer. */
export function judgeReply(
  plan: PlannedReadBack,
  result: ToolResult,
): { readonly ok: Verified; readonly says: string } {
  if (result.isError === true) return { ok: 'unknown', says: 'it answered with an error' }
  const answer = replyValue(result)
  const unmet = plan.expected.filter((_, index) => {
    const expectation = plan.expect[index]
    return expectation === undefined || !meets(answer, expectation)
  })
  if (unmet.length === 0) return { ok: true, says: plan.expected.join(', ') }
  // An answer with redactions proves neither outcome.
  if (isRedacted(answer)) return { ok: 'unknown', says: 'its answer had to be redacted' }
  return { ok: false, says: `not true: ${unmet.join(', ')}` }
}

export function sayAbsent(placeholders: readonly string[]): string {
  return `there is no usable value for ${placeholders.map(sayPlaceholder).join(', ')}`
}

/**
 * The root for paths into a tool's answer: its structured content or, if there is none, an object with the answer's `text` and,
 * if that is JSON, its value as `json`.
 */
export function replyValue(result: ToolResult): Json {
  if (result.structuredContent !== undefined) return result.structuredContent
  const words = result.content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []))
  const text = words.join('\n')
  const json = parseIJson(text)
  return json.ok ? { text, json: json.value } : { text }
}
