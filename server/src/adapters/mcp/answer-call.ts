import { parentSpanOf } from '../http/trace-of.ts'
import type { McpPorts } from './mcp-ports.ts'
import { textsInOutcome } from '../../kernel/sessions/answer-texts.ts'
import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import { Inputs, asksIn, INPUTS_KEY, type Asks } from '../../kernel/approvals/asks.ts'
import { CallId } from '../../kernel/contract/ids.ts'
import { isJsonObject, type JsonObject, type Json } from '../../kernel/contract/json.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { answerableOf } from './answerable.ts'
import { inputRequired, askClient, MOST_ROUNDS } from './ask-client.ts'
import { asTask, callAsTask, callOrTask, taskFault, whenTask, type WhenTask } from './call-as-task.ts'
import { liveOf, readerOf, type McpExchange } from './exchange.ts'
import { CAPABILITIES_KEY, type Era } from './read-message.ts'
import { inBand, refusalOf, RPC, type RpcResult } from './rpc.ts'
import { callResult } from './task-results.ts'
import { heldDetails } from './tool-result.ts'

/** How long to wait for the decision when a client without task support comes back from the console. */
const WAIT_AFTER_CONSOLE_MS = 10_000

/** Dispatches one call and returns its outcome as an MCP result. This is the hot path: it looks up nothing that an executed call does not need. */
export async function answerCall(
  gate: McpPorts,
  exchange: McpExchange,
  call: Pick<CallRequest, 'tool' | 'args' | 'dry_run'>,
  hasOutputSchema: () => boolean,
): Promise<RpcResult> {
  const { caller, era, trace, idempotency_key, params } = exchange
  const when = whenTask(exchange)
  // A client that comes back from the console gets the outcome of the held call, whatever it sends.
  const { requestState } = params
  if (era === 'new' && typeof requestState === 'string' && CallId.safeParse(requestState).success) {
    const wait_ms = when === 'late' ? 0 : WAIT_AFTER_CONSOLE_MS
    const found = await gate.readCall(caller, requestState, wait_ms)
    const read = await gate.labelled(readerOf(exchange), found, textsInOutcome)
    const outcome: Outcome = read.ok ? read.value : { status: 'refused', problem: read.problem, evidence: [] }
    return (await taskOf(gate, exchange, when, outcome)) ?? outcomeOrAsks(gate, era, outcome, hasOutputSchema)
  }
  const inputs = era === 'new' ? inputsIn(params) : undefined
  if (inputs !== undefined && !Inputs.safeParse(inputs).success)
    return inBand(refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: 'inputResponses, requestState' }))
  // A client that follows a task cannot be asked.
  const answerable = when === 'now' ? undefined : answerableOf(exchange.capabilities())
  const request: Writable<CallRequest> = {
    caller,
    trace,
    tool: call.tool,
    args: call.args,
    evict_over: exchange.evict_over,
  }
  const { parent_span } = parentSpanOf(exchange.meta['traceparent'])
  const words = exchange.meta[WORDS_KEY]
  if (parent_span !== undefined) request.parent_span = parent_span
  if (typeof words === 'string') request.words = words
  if (call.dry_run !== undefined) request.dry_run = call.dry_run
  if (inputs !== undefined) Object.assign(request, withInputs(call.args, inputs))
  if (exchange.thread !== undefined) request.thread = exchange.thread
  if (exchange.answer_stream !== undefined) request.answer_stream = exchange.answer_stream
  if (answerable !== undefined) request.answerable = answerable
  if (idempotency_key !== undefined) request.idempotency_key = idempotency_key
  if (when === 'now') return taskFault(exchange, call) ?? callAsTask(gate, exchange, request)
  const first =
    when === 'late' ? await callOrTask(gate, exchange, request) : await gate.dispatch(request, liveOf(exchange))
  if (first.status === 'executed') return callResult(gate, first, hasOutputSchema)
  const outcome = when === 'late' ? first : await callInRounds(gate, exchange, request, first)
  if (outcome.status === 'pending' && canOpenPages(exchange)) return { result: toTheConsole(outcome) }
  return (await taskOf(gate, exchange, when, outcome)) ?? outcomeOrAsks(gate, era, outcome, hasOutputSchema)
}

/** Optional fields are added one by one, because most calls have few of them. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The field in which a host passes on what its user said. */
const WORDS_KEY = 'sluice/user_words'

/** Since 2026-07-28 an unfinished call is answered with a task, if the client supports tasks. */
async function taskOf(
  gate: McpPorts,
  exchange: McpExchange,
  when: WhenTask,
  outcome: Outcome,
): Promise<RpcResult | undefined> {
  const isOver = outcome.status !== 'pending' && outcome.status !== 'executing'
  return isOver || when !== 'late' ? undefined : asTask(gate, exchange, outcome.call_id)
}

/** Since 2026-07-28 a call that ends with a question is answered with it. */
function outcomeOrAsks(gate: McpPorts, era: Era, outcome: Outcome, hasOutputSchema: () => boolean): RpcResult {
  const asks = era === 'new' ? asksOf(outcome) : undefined
  return asks === undefined ? callResult(gate, outcome, hasOutputSchema) : { result: inputRequired(asks) }
}

/** Since 2026-07-28 a client can declare that it shows its user a page before it continues. */
function canOpenPages({ era, meta }: McpExchange): boolean {
  const capabilities = meta[CAPABILITIES_KEY]
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  return era === 'new' && isJsonObject(elicitation) && elicitation['url'] !== undefined
}

/** Links to the console, where a person decides under their own name. The state is the call's id, not a token. */
function toTheConsole(outcome: Extract<Outcome, { status: 'pending' }>): JsonObject {
  const { call_id, url, hub, expires_at } = outcome
  const where = hub === undefined ? '' : ` at the hub ${visibleText(hub)}`
  const message = `This call is held for approval${where}, until ${new Date(expires_at).toISOString()} at the latest. It has not run.`
  const elicitation = { mode: 'url', message, url }
  return {
    resultType: 'input_required',
    inputRequests: { approval: { method: 'elicitation/create', params: elicitation } },
    requestState: call_id,
    _meta: { 'sluice/outcome': heldDetails(outcome) },
  }
}

/**
 * Continues a call whose first round ended with this outcome. If the tool asks something, a client from before 2026-07-28 is asked
 * here, and the call is made again with the answers.
 * INVARIANT: each round is a separate call, judged together with the answers it contains.
 */
async function callInRounds(
  gate: McpPorts,
  exchange: McpExchange,
  first: CallRequest,
  ended: Outcome,
): Promise<Outcome> {
  let outcome = ended
  for (let round = 1; ; round += 1) {
    const asks = exchange.era === 'old' && round < MOST_ROUNDS ? asksOf(outcome) : undefined
    const inputs = asks === undefined ? undefined : await askClient(exchange, asks)
    if (inputs === undefined) return outcome
    const request = { ...first, ...withInputs(first.args, inputs), round: round + 1 }
    outcome = await gate.dispatch(request, liveOf(exchange))
  }
}

/** The tool's questions, if it asked instead of executing the call. */
const asksOf = (outcome: Outcome): Asks | undefined =>
  outcome.status === 'failed' && outcome.problem.code === 'tool.asks' ? asksIn(outcome.result?._meta) : undefined

/** Since 2026-07-28 the next call contains the answers next to its arguments. */
function inputsIn({ inputResponses, requestState }: JsonObject): JsonObject | undefined {
  if (inputResponses === undefined && requestState === undefined) return undefined
  return {
    responses: inputResponses === undefined ? {} : inputResponses,
    ...(requestState === undefined ? {} : { state: requestState }),
  }
}

/** Arguments that are not an object cannot contain answers. They stay unchanged and are rejected later. */
const withInputs = (args: Json, inputs: JsonObject | undefined): { readonly args?: Json } =>
  inputs === undefined || !isJsonObject(args) ? {} : { args: { ...args, [INPUTS_KEY]: inputs } }
