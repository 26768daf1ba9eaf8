import type { McpPorts } from './mcp-ports.ts'
import { asksIn, INPUTS_KEY, type Asks } from '../../kernel/approvals/asks.ts'
import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { askClient, MOST_ROUNDS } from './ask-client.ts'
import { liveOf, type Exchange } from './exchange.ts'

/**
 * Continues a call whose first round ended with this outcome. If the tool asks something, a client from before 2026-07-28 is asked
 * here, and the call is made again with the answers.
 * INVARIANT: each round is a separate call, judged together with the answers it contains.
 */
export async function callInRounds(
  gate: McpPorts,
  exchange: Exchange,
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
export const asksOf = (outcome: Outcome): Asks | undefined =>
  outcome.status === 'failed' && outcome.problem.code === 'tool.asks' ? asksIn(outcome.result?._meta) : undefined

/** Since 2026-07-28 the next call contains the answers next to its arguments. */
export function inputsIn({ inputResponses, requestState }: JsonObject): JsonObject | undefined {
  if (inputResponses === undefined && requestState === undefined) return undefined
  return {
    responses: inputResponses === undefined ? {} : inputResponses,
    ...(requestState === undefined ? {} : { state: requestState }),
  }
}

/** Arguments that are not an object cannot contain answers. They stay unchanged and are rejected later. */
export const withInputs = (args: Json, inputs: JsonObject | undefined): { readonly args?: Json } =>
  inputs === undefined || !isJsonObject(args) ? {} : { args: { ...args, [INPUTS_KEY]: inputs } }
