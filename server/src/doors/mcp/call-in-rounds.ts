import type { Gate } from '../../commands/gate.ts'
import { asksIn, INPUTS_KEY, type Asks } from '../../contract/asks.ts'
import type { CallRequest, Outcome } from '../../contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'
import { askClient, MOST_ROUNDS } from './ask-client.ts'
import { liveOf, type Exchange } from './exchange.ts'

/**
 * What becomes of a call whose first round ended with this outcome: for an older client, what a tool asks is asked here and the
 * call made again with the answers.
 * INVARIANT: each round is a call of its own, judged with the answers in it.
 */
export async function callInRounds(
  gate: Gate,
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
    outcome = await gate.calls.dispatch(request, liveOf(exchange))
  }
}

/** What a tool asked instead of doing what it was called for. */
export const asksOf = (outcome: Outcome): Asks | undefined =>
  outcome.status === 'failed' && outcome.problem.code === 'tool.asks' ? asksIn(outcome.result?._meta) : undefined

/** Since 2026-07-28 the answers to what a tool asked stand beside the arguments of its next call. */
export function inputsIn({ inputResponses, requestState }: JsonObject): JsonObject | undefined {
  if (inputResponses === undefined && requestState === undefined) return undefined
  return {
    responses: inputResponses === undefined ? {} : inputResponses,
    ...(requestState === undefined ? {} : { state: requestState }),
  }
}

/** What is not an object has no place for them, and is refused as it is. */
export const withInputs = (args: Json, inputs: JsonObject | undefined): { readonly args?: Json } =>
  inputs === undefined || !isJsonObject(args) ? {} : { args: { ...args, [INPUTS_KEY]: inputs } }
