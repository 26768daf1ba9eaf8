import type { Asks, Inputs } from '../../contract/asks.ts'
import { isJsonObject, type JsonObject } from '../../contract/json.ts'
import type { Exchange } from './exchange.ts'
import { markedQuestion } from './foreign-texts.ts'

/** A tool that asks again and again is not going to be content. */
export const MOST_ROUNDS = 8

/**
 * Asks a client of the older era what a tool of the newer one wants to know, one question after the other. Undefined when it
 * cannot be asked or does not answer.
 */
export async function askClient(exchange: Exchange, { requests, state }: Asks): Promise<Inputs | undefined> {
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

/** The questions of a tool server, as people may read them. */
export function markedRequests(requests: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(requests).map(([name, request]) => {
      const { method, params = {} } = isJsonObject(request) ? request : {}
      const isQuestion = typeof method === 'string' && isJsonObject(params)
      return [name, isQuestion ? { ...markedQuestion({ method, params }) } : request]
    }),
  )
}

/** As the newer era says it. */
export const inputRequired = ({ requests, state }: Asks): JsonObject => ({
  resultType: 'input_required',
  inputRequests: markedRequests(requests),
  ...(state === undefined ? {} : { requestState: state }),
})
