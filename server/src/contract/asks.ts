import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from './json.ts'

/**
 * Where the answers to what a tool asked back stand among a call's arguments: what a tool is told is one thing, hashed, judged,
 * shown and recorded as one.
 */
export const INPUTS_KEY = 'sluice/inputs'

/** By the names the tool gave its questions, and what it wants to be told again. */
export const Inputs = z.strictObject({
  responses: z.record(
    z.string(),
    z.custom<JsonObject>((value) => isJsonObject(value as Json)),
  ),
  state: z.string().optional(),
})
export type Inputs = { readonly responses: JsonObject; readonly state?: string }

/** Where a result says that the tool asks something before it goes on. */
export const ASKS_KEY = 'sluice/asks'
export type Asks = { readonly requests: JsonObject; readonly state?: string }

/** What a client can be asked on the way, by MCP's own names; each with its own parts. */
export type Answerable = JsonObject

export function asksIn(meta: JsonObject | undefined): Asks | undefined {
  const asks = meta?.[ASKS_KEY]
  if (!isJsonObject(asks) || !isJsonObject(asks['requests'])) return undefined
  const { requests, state } = asks
  return { requests, ...(typeof state === 'string' ? { state } : {}) }
}
