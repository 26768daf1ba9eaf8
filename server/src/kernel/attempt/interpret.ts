import { onlyReads } from '../contract/tool.ts'
import { asksIn } from '../approvals/asks.ts'
import type { CallRow, CallState, Eviction, ToolResult } from '../contract/call.ts'
import { type Json, type JsonObject, isJsonObject } from '../contract/json.ts'
import { problem, type Problem } from '../contract/problems.ts'

/** Output longer than this moves to the artifact store; up to the second limit it may be inlined again. */
export const EVICT_OVER = 10_000
export const REHYDRATE_UP_TO = 50_000
const SUMMARY = 500
/** Up to this many characters of JSON around a text count as structure without information of its own. */
const LITTLE_ELSE = 200

/** What a tool server answered, as far as it matters for the call's outcome. */
export type ReplyForOutcome =
  | { readonly is: 'answered'; readonly result: ToolResult }
  | { readonly is: 'rejected'; readonly error: JsonObject }
  | { readonly is: 'not_sent' | 'lost'; readonly problem: Problem }

export type Interpretation = {
  readonly state: Extract<CallState, 'executed' | 'failed' | 'unknown'>
  readonly problem?: Problem
  readonly result?: ToolResult
}

/**
 * What an answer means for the call's row.
 * INVARIANT: a call that was sent and not answered is `unknown`, unless repeating it is harmless because it only reads or is
 * idempotent. If a retry is not sent, the call was still sent before.
 */
export function interpret(
  answer: ReplyForOutcome,
  row: Pick<CallRow, 'attempt' | 'idempotent' | 'judged'>,
): Interpretation {
  switch (answer.is) {
    case 'answered':
      return answer.result.isError === true
        ? { state: 'failed', problem: problem(codeOf(answer.result)), result: answer.result }
        : { state: 'executed', result: answer.result }
    case 'rejected':
      return { state: 'failed', problem: problem('tool.failed'), result: rejection(answer.error) }
    case 'not_sent':
      return row.attempt > 1 && !onlyReads(row.judged)
        ? { state: row.idempotent ? 'failed' : 'unknown', problem: notRetried(answer.problem) }
        : { state: 'failed', problem: answer.problem }
    default:
      return row.idempotent || onlyReads(row.judged)
        ? { state: 'failed', problem: unanswered(answer.problem) }
        : { state: 'unknown', problem: answer.problem }
  }
}

const NO_ANSWER: readonly Problem['code'][] = ['tool.timeout', 'tool.cancelled', 'tool.broke_off']

/** Nobody has to settle a call that can be repeated without harm. */
function unanswered(lost: Problem): Problem {
  return NO_ANSWER.includes(lost.code) ? problem('call.unanswered', { ...lost.about, because: lost.code }) : lost
}

/** An earlier attempt may have taken effect: that is still unknown, whatever stopped the retry. */
export function notRetried({ code, about }: Problem): Problem {
  return problem('call.not_retried', {
    retry: code,
    because: about['because'] ?? about['reason'] ?? about['why'] ?? about['says'] ?? '',
  })
}

/** Whether an attempt before the last one may have taken effect, and repeating it may have done harm. */
export const mayHaveRunBefore = (row: Pick<CallRow, 'attempt' | 'idempotent' | 'judged'>): boolean =>
  row.attempt > 1 && !row.idempotent && !onlyReads(row.judged)

const codeOf = ({ _meta }: ToolResult) => (asksIn(_meta) === undefined ? 'tool.failed' : 'tool.asks')

/** Keeps the code and text of a protocol error, so that a door can pass it on unchanged. */
function rejection(error: JsonObject): ToolResult {
  const message = typeof error['message'] === 'string' ? error['message'] : 'the tool server refused the call'
  return { content: [{ type: 'text', text: message }], isError: true, _meta: { 'sluice/rpc-error': error } }
}

/**
 * The text whose length is measured: plain text as it is, anything else as JSON. Content that is present both as text and as
 * structure counts once.
 */
export function outputText({ content, structuredContent }: ToolResult): string {
  const texts = content.map((block) => (block['type'] === 'text' ? block['text'] : undefined))
  const plain = texts.flatMap((text) => (typeof text === 'string' ? [text] : []))
  const isText = plain.length === texts.length
  if (structuredContent === undefined && isText) return plain.join('\n')
  if (structuredContent === undefined) return JSON.stringify({ content, structuredContent })
  const rest = content.filter((_, at) => {
    const text = texts[at]
    return typeof text !== 'string' || !repeatsStructured(text, structuredContent)
  })
  if (rest.length > 0) return JSON.stringify({ content: rest, structuredContent })
  // If the structured content is little more than one text, store the plain text: it is easier to read in parts than JSON.
  const structured = JSON.stringify(structuredContent)
  const [text = ''] = plain
  const isAllOfIt = plain.length === 1 && JSON.stringify(text).length + LITTLE_ELSE >= structured.length
  return isAllOfIt ? text : structured
}

export function kept(size_chars: number): Eviction {
  return { evicted: false, size_chars, rehydration_allowed: true }
}

export const pointerTo = (digest: string): string => `artifact://${digest}`
const noticeOf = (size: number, digest: string) => `[EVICTED size=${size}] See ${pointerTo(digest)}`

/** Structured content that is too large, with its longest strings cut. Undefined if cutting does not make it small enough. */
export const shortened = (content: Json, digest: string, most: number): Json | undefined =>
  cutStructured(content, most, (size) => ` ${noticeOf(size, digest)}`)

/** `structured`: the cut structured content, for a tool with an output schema. */
type Left = { readonly structured?: Json; readonly isError?: boolean }

/** What the model sees of an output that is too large: where it is stored, how it begins, how long it is. */
export function evicted(
  result: ToolResult,
  text: string,
  digest: string,
  { structured, isError = result.isError }: Left = {},
): { result: ToolResult; output: Eviction } {
  const pointer = pointerTo(digest)
  const summary = text.slice(0, SUMMARY)
  const { _meta } = result
  return {
    result: {
      content: [{ type: 'text', text: `${noticeOf(text.length, digest)}\n${summary}` }],
      ...(structured === undefined ? {} : { structuredContent: structured }),
      ...(isError === undefined ? {} : { isError }),
      ...(_meta === undefined ? {} : { _meta }),
    },
    output: {
      evicted: true,
      size_chars: text.length,
      rehydration_allowed: text.length <= REHYDRATE_UP_TO,
      pointer,
      summary,
    },
  }
}

/** How much of a cut string is kept at most; less if there are many. */
const LONGEST_KEPT = 1_000
const SHORTEST_KEPT = 40

/**
 * Structured content with its longest strings cut so that it fits into `most` characters. A cut string ends with the mark.
 * Undefined if even the shortest cuts leave too much.
 */
export function cutStructured(content: Json, most: number, markOf: (size: number) => string): Json | undefined {
  for (let kept = LONGEST_KEPT; kept >= SHORTEST_KEPT; kept = Math.floor(kept / 2)) {
    const cut = mapStrings(content, (text) => {
      const mark = markOf(text.length)
      return text.length <= kept + mark.length ? text : `${wholeCharacters(text.slice(0, kept))}${mark}`
    })
    if (JSON.stringify(cut).length <= most) return cut
  }
  return undefined
}

/** Drops half of a surrogate pair at the end. */
const wholeCharacters = (text: string) => text.replace(/[\uD800-\uDBFF]$/, '')

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change))
  if (!isJsonObject(value)) return value
  const changed: JsonObject = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]),
  )
  return changed
}

/** Whether a text only repeats the structured content: as its JSON, or as one of its strings. */
export function repeatsStructured(text: string, content: Json): boolean {
  if (hasString(content, text)) return true
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(content)
  } catch {
    return false
  }
}

function hasString(value: Json, text: string): boolean {
  if (typeof value === 'string') return value === text
  if (Array.isArray(value)) return value.some((item) => hasString(item, text))
  return isJsonObject(value) && Object.values(value).some((item) => hasString(item, text))
}
