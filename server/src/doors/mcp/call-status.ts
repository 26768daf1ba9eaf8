import type { Gate } from '../../commands/gate.ts'
import type { Caller } from '../../contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import { toolAnswer } from './tool-answer.ts'

/** The gate's own tool: the outcome of a call that was held, however often it is asked for. */
export const CALL_STATUS: JsonObject = {
  name: 'call_status',
  title: 'Outcome of a held call',
  description:
    'Returns the outcome of a call that was held for a person or is still running. Never runs anything. Pass wait_ms (up to 60000) to wait for it.',
  inputSchema: {
    type: 'object',
    properties: {
      call_id: { type: 'string', description: 'The call_id of the pending answer' },
      wait_ms: { type: 'integer', minimum: 0, maximum: 60_000, description: 'How long to wait for an outcome' },
    },
    required: ['call_id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

export async function readCallStatus(gate: Gate, caller: Caller, args: Json): Promise<JsonObject> {
  const { call_id, wait_ms } = isJsonObject(args) ? args : {}
  if (typeof call_id !== 'string') return failed('call_status needs a `call_id`, a string')
  const read = await gate.readCall(caller, call_id, typeof wait_ms === 'number' ? wait_ms : 0)
  return read.ok ? toolAnswer(read.value, false) : failed(`${PROBLEMS[read.problem.code].says} [${read.problem.code}]`)
}

const failed = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true })
