import { asksIn } from '../../contract/asks.ts'
import type { CallRow, CallState, Eviction, ToolResult } from '../../contract/call.ts'
import type { JsonObject } from '../../contract/json.ts'
import { problem, type Problem } from '../../contract/problems.ts'

/** Over this many characters an output moves to the artifact store; up to the second it may be inlined again. */
export const EVICT_OVER = 10_000
export const REHYDRATE_UP_TO = 50_000
const SUMMARY = 500

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

/** The text whose length counts: plain text as it is, anything else as JSON. */
export function outputText(result: ToolResult): string {
  const texts = result.content.map((block) => (block['type'] === 'text' ? block['text'] : undefined))
  const isPlain = result.structuredContent === undefined && texts.every((text) => typeof text === 'string')
  return isPlain
    ? texts.join('\n')
    : JSON.stringify({ content: result.content, structuredContent: result.structuredContent })
}

export function kept(size_chars: number): Eviction {
  return { evicted: false, size_chars, rehydration_allowed: true }
}

/** What the model sees of an output that is too large for it: where it went, how it begins, how long it is. */
export function evicted(result: ToolResult, text: string, digest: string): { result: ToolResult; output: Eviction } {
  const pointer = `artifact://${digest}`
  const notice = `[EVICTED size=${text.length}] See ${pointer}`
  const summary = text.slice(0, SUMMARY)
  const { isError, _meta } = result
  return {
    result: {
      content: [{ type: 'text', text: `${notice}\n${summary}` }],
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
