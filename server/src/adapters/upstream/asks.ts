import { ASKS_KEY, type Answerable, type Asks } from '../../kernel/approvals/asks.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { CallId } from '../../kernel/contract/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'

/** The capability that a client needs to be asked this. */
const NEEDS: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** The maximum number of questions at once. */
const MOST_QUESTIONS = 32

export const isAsking = ({ resultType }: JsonObject): boolean => resultType === 'input_required'

/**
 * What a server asks before it continues; undefined if it may not ask that.
 * INVARIANT: nothing that the client did not declare is asked, and no page is shown: the gate only ever links to its own page.
 */
export function asksOf(
  { inputRequests: requests = {}, requestState }: JsonObject,
  answerable: Answerable | undefined,
): Asks | undefined {
  if (answerable === undefined || !isJsonObject(requests)) return undefined
  const asked = Object.values(requests)
  if (asked.length > MOST_QUESTIONS || !asked.every((one) => mayAsk(one, answerable))) return undefined
  if (requestState === undefined) return { requests }
  // A state that looks like a call id of the gate would lead the client to that call.
  const isStrange = typeof requestState !== 'string' || CallId.safeParse(requestState).success
  return isStrange ? undefined : { requests, state: requestState }
}

function mayAsk(request: Json, answerable: Answerable): boolean {
  if (!isJsonObject(request)) return false
  const { method, params = {} } = request
  const needs = typeof method === 'string' ? NEEDS[method] : undefined
  if (needs === undefined || answerable[needs] === undefined || !isJsonObject(params)) return false
  return method !== 'elicitation/create' || params['mode'] === undefined || params['mode'] === 'form'
}

/** A call that ends with a question has not done what was requested. */
export function askingResult(asks: Asks): ToolResult {
  const text = `The tool asks for more input before it continues: ${JSON.stringify(asks.requests)}`
  return { content: [{ type: 'text', text }], isError: true, _meta: { [ASKS_KEY]: { ...asks } } }
}
