import type { Asks, Inputs } from '../../kernel/approvals/asks.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import type { McpExchange } from './exchange.ts'
import { markedQuestion } from './foreign-texts.ts'

/** If a tool still asks after this many rounds, the call ends. */
export const MOST_ROUNDS = 8

/**
 * Asks a client from before 2026-07-28 the questions of a newer tool server, one after the other. Undefined if the client cannot be
 * asked or does not answer.
 */
export async function askClient(exchange: McpExchange, { requests, state }: Asks): Promise<Inputs | undefined> {
  const responses: Record<string, JsonObject> = {}
  for (const [name, request] of Object.entries(requests)) {
    const { method, params = {} } = isJsonObject(request) ? request : {}
    const answered =
      typeof method === 'string' && isJsonObject(params)
        ? await exchange.ask(markedQuestion({ method, params }))
        : undefined
    if (answered === undefined) return undefined
    responses[name] = answered
  }
  return { responses, ...(state === undefined ? {} : { state }) }
}

/** The questions of a tool server, made safe to show to people. */
export function markedRequests(requests: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(requests).map(([name, request]) => {
      const { method, params = {} } = isJsonObject(request) ? request : {}
      const isQuestion = typeof method === 'string' && isJsonObject(params)
      return [name, isQuestion ? { ...markedQuestion({ method, params }) } : request]
    }),
  )
}

/** In the form of 2026-07-28. */
export const inputRequired = ({ requests, state }: Asks): JsonObject => ({
  resultType: 'input_required',
  inputRequests: markedRequests(requests),
  ...(state === undefined ? {} : { requestState: state }),
})
