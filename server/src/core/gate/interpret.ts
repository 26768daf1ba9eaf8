import { asksIn } from '../../contract/asks.ts'
import type { CallRow, CallState, Eviction, ToolResult } from '../../contract/call.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import { problem, type Problem } from '../../contract/problems.ts'
import { cutStructured, repeatsStructured } from './cut-structured.ts'

/** Over this many characters an output moves to the artifact store; up to the second it may be inlined again. */
export const EVICT_OVER = 10_000
export const REHYDRATE_UP_TO = 50_000
const SUMMARY = 500
/** Characters of structure around a text that say nothing more. */
const LITTLE_ELSE = 200

/** What came back from a tool server, as far as the outcome of the call is concerned. */
export type Answer =
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
 * INVARIANT: a call that was sent and not answered is `unknown`, unless running it again can do no harm: it only reads, or is idempotent.
 */
export function interpret(answer: Answer, row: Pick<CallRow, 'idempotent' | 'judged'>): Interpretation {
  switch (answer.is) {
    case 'answered':
      return answer.result.isError === true
        ? { state: 'failed', problem: problem(codeOf(answer.result)), result: answer.result }
        : { state: 'executed', result: answer.result }
    case 'rejected':
      return { state: 'failed', problem: problem('tool.failed'), result: rejection(answer.error) }
    case 'not_sent':
      return { state: 'failed', problem: answer.problem }
    default:
      return { state: row.idempotent || onlyReads(row) ? 'failed' : 'unknown', problem: answer.problem }
  }
}

/** As it was judged. Of rows that do not say so, nothing is assumed. */
export function onlyReads({ judged }: Pick<CallRow, 'judged'>): boolean {
  return judged !== undefined && judged.effects.length > 0 && judged.effects.every((effect) => effect === 'read')
}

const codeOf = ({ _meta }: ToolResult) => (asksIn(_meta) === undefined ? 'tool.failed' : 'tool.asks')

/** A protocol error keeps its code and text, so that a door can hand it on as it was. */
function rejection(error: JsonObject): ToolResult {
  const message = typeof error['message'] === 'string' ? error['message'] : 'the tool server refused the call'
  return { content: [{ type: 'text', text: message }], isError: true, _meta: { 'sluice/rpc-error': error } }
}

/** The text whose length counts: plain text as it is, anything else as JSON. What is there both as text and as structure counts once. */
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
  // Read again in parts, plain text is easier to read than the same text as JSON, where next to nothing else is in it.
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

/** The structured content of an output that is too large, with its longest strings cut. Undefined when that does not make it small. */
export const shortened = (content: Json, digest: string, most: number): Json | undefined =>
  cutStructured(content, most, (size) => ` ${noticeOf(size, digest)}`)

/** `structured`: what is left of its structured content, for a tool that promises some. */
type Left = { readonly structured?: Json; readonly isError?: boolean }

/** What the model sees of an output that is too large for it: where it went, how it begins, how long it is. */
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
