import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client'
import type { CancelSignal } from '../../kernel/ports/cancel.ts'
import type { CallListeners, UpstreamCall, UpstreamQuestion } from '../../kernel/ports/upstream.ts'
import type { Answerable } from '../../kernel/approvals/asks.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { Mirror } from '../../kernel/contract/mirrors.ts'
import { askingResult, asksOf, isAsking } from './asks.ts'
import { hasKeys } from './has-keys.ts'

/** One request of ours to a server, on any transport. */
export type OurRequest<T> = {
  readonly signal?: CancelSignal | undefined
  readonly onProgress?: CallListeners['onProgress'] | undefined
  readonly onLog?: CallListeners['onLog'] | undefined
  readonly method: string
  /** What it is about: since 2026-07-28 also a header. */
  readonly name?: string | undefined
  /** Headers of the request itself, independent of the revision of MCP. */
  headers?(): Readonly<Record<string, string>>
  /** The arguments, and which of them the tool wants in headers. */
  readonly call?: { readonly canonical_args: string; readonly mirrors: readonly Mirror[] }
  /** Its params as JSON on one line, with this as their `_meta`. */
  params(meta: JsonObject): string
  /** The relevant part of a result; undefined if it is not such a result. */
  read(result: JsonObject): T | undefined
}

const TRACE = /^[0-9a-f]{32}$/
const SPAN = /^[0-9a-f]{16}$/

/** W3C trace context, in `_meta` and, over HTTP, as a header: a tool server's own spans join the call's trace. */
function traceContext({ trace, span }: UpstreamCall): string | undefined {
  if (!TRACE.test(trace)) return undefined
  return `00-${trace}-${span !== undefined && SPAN.test(span) ? span : trace.slice(16)}-01`
}

/** Since 2026-07-28 each message says what its sender can be asked; before, nothing can. */
function withAnswerable(envelope: JsonObject, answerable: Answerable | undefined): JsonObject {
  if (answerable === undefined || envelope[CLIENT_CAPABILITIES_META_KEY] === undefined) return envelope
  return { ...envelope, [CLIENT_CAPABILITIES_META_KEY]: answerable }
}

/**
 * The request for one tool call.
 * INVARIANT: it contains the canonical arguments byte for byte: what was hashed is what is sent.
 */
class ToolCall implements OurRequest<ToolResult> {
  readonly signal: CancelSignal | undefined
  readonly onProgress: CallListeners['onProgress'] | undefined
  readonly onLog: CallListeners['onLog'] | undefined
  readonly #asked: UpstreamCall
  readonly #mirrors: readonly Mirror[]
  readonly #traceparent: string | undefined

  constructor(asked: UpstreamCall, mirrors: readonly Mirror[]) {
    this.signal = asked.signal
    this.onProgress = asked.onProgress
    this.onLog = asked.onLog
    this.#asked = asked
    this.#mirrors = mirrors
    this.#traceparent = traceContext(asked)
  }

  get method(): string {
    return 'tools/call'
  }

  get name(): string {
    return this.#asked.tool
  }

  get call() {
    return { canonical_args: this.#asked.canonical_args, mirrors: this.#mirrors }
  }

  headers(): Readonly<Record<string, string>> {
    const traceparent = this.#traceparent
    return traceparent === undefined ? {} : { traceparent }
  }

  params(meta: JsonObject): string {
    const { tool, canonical_args, inputs } = this.#asked
    return `{"name":${JSON.stringify(tool)},"arguments":${canonical_args}${answers(inputs)},"_meta":${this.#meta(meta)}}`
  }

  #meta(meta: JsonObject): string {
    const { idempotency_key, trace, answerable } = this.#asked
    const traceparent = this.#traceparent
    const ours = `"sluice/idempotency-key":${JSON.stringify(idempotency_key)},"sluice/trace-id":${JSON.stringify(trace)}${traceparent === undefined ? '' : `,"traceparent":"${traceparent}"`}`
    if (!hasKeys(meta)) return `{${ours}}`
    const { progressToken, ...envelope } = meta
    const token = progressToken === undefined ? '' : `,"progressToken":${JSON.stringify(progressToken)}`
    const before = JSON.stringify(withAnswerable(envelope, answerable)).slice(1, -1)
    return `{${before === '' ? '' : `${before},`}${ours}${token}}`
  }

  read(result: JsonObject): ToolResult | undefined {
    return toolResult(result, this.#asked.answerable)
  }
}

export const toolCall = (call: UpstreamCall, mirrors: readonly Mirror[]): OurRequest<ToolResult> =>
  new ToolCall(call, mirrors)

function answers(inputs: UpstreamCall['inputs']): string {
  if (inputs === undefined) return ''
  const state = inputs.state === undefined ? '' : `,"requestState":${JSON.stringify(inputs.state)}`
  return `,"inputResponses":${inputs.canonical_responses}${state}`
}

/** What a question is about, by the field that names it. */
const NAMED_BY: Readonly<Record<string, string>> = { 'prompts/get': 'name', 'resources/read': 'uri' }

export function askFor(question: UpstreamQuestion): OurRequest<JsonObject> {
  const { method, params, trace, answerable } = question
  const name = params[NAMED_BY[method] ?? '']
  return {
    signal: question.signal,
    onProgress: question.onProgress,
    onLog: question.onLog,
    method,
    name: typeof name === 'string' ? name : undefined,
    params: (meta) =>
      JSON.stringify({ ...params, _meta: { ...withAnswerable(meta, answerable), 'sluice/trace-id': trace } }),
    read: (result) =>
      isAsking(result) && asksOf(result, answerable) === undefined
        ? undefined
        : (withoutOurMarks(result) as JsonObject),
  }
}

function toolResult(result: JsonObject, answerable: Answerable | undefined): ToolResult | undefined {
  const { content, structuredContent, isError, _meta, resultType } = result
  // From 2026-07-28 on a result says what it is.
  if (isAsking(result)) {
    const asks = asksOf(result, answerable)
    return asks === undefined ? undefined : askingResult(asks)
  }
  if (resultType !== undefined && resultType !== 'complete') return undefined
  const blocks = content ?? (structuredContent === undefined ? undefined : [])
  if (!Array.isArray(blocks) || !blocks.every(isBlock)) return undefined
  if (isError !== undefined && typeof isError !== 'boolean') return undefined
  if (_meta !== undefined && !isJsonObject(_meta)) return undefined
  if (structuredContent === undefined && isError === undefined && _meta === undefined) return { content: blocks }
  return {
    content: blocks,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...(_meta === undefined ? {} : { _meta: theirMeta(_meta) }),
  }
}

/** Only the gate may set keys that begin with `sluice/`. */
const theirMeta = (meta: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith('sluice/')))

/** Removes the gate's own keys from any other answer, including the entries of lists. */
function withoutOurMarks(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutOurMarks)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '_meta' && isJsonObject(child) ? theirMeta(child) : withoutOurMarks(child),
    ]),
  )
}

const isBlock = (block: Json): block is JsonObject => isJsonObject(block) && typeof block['type'] === 'string'
