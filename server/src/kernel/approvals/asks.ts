import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'

/**
 * The key among a call's arguments for the answers to a tool's questions: everything a tool is told is hashed, judged, shown and
 * recorded as one.
 */
export const INPUTS_KEY = 'sluice/inputs'

/** Answers by the tool's names for its questions, and the state that it wants back. */
export const Inputs = z.strictObject({
  responses: z.record(
    z.string(),
    z.custom<JsonObject>((value) => isJsonObject(value as Json)),
  ),
  state: z.string().optional(),
})
export type Inputs = { readonly responses: JsonObject; readonly state?: string }

/** The key of a result in which the tool asks something before it continues. */
export const ASKS_KEY = 'sluice/asks'
export type Asks = { readonly requests: JsonObject; readonly state?: string }

/** What a client can be asked during a call, by MCP's own names, each with its options. */
export type Answerable = JsonObject

export function asksIn(meta: JsonObject | undefined): Asks | undefined {
  const asks = meta?.[ASKS_KEY]
  if (!isJsonObject(asks) || !isJsonObject(asks['requests'])) return undefined
  const { requests, state } = asks
  return { requests, ...(typeof state === 'string' ? { state } : {}) }
}
