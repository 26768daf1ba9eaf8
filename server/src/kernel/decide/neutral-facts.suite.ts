import type { Call } from '../contract/call.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import type { Tool, ToolEffect } from '../contract/tool.ts'
import type { Effect, Opinion } from '../contract/verdict.ts'
import { JUDGEMENT } from '../../../test/judging.ts'
import type { Facts } from './facts.ts'

export const HASH = 'a'.repeat(64)

/** An admitted tool whose effects the operator declared. */
export function toolWith(properties: JsonObject = {}, effects: readonly ToolEffect[] = ['read']): Tool {
  const definition = { name: 't', inputSchema: { type: 'object', properties } }
  const admitted = { hash: HASH, definition, at: 0, by: 'first-listing' }
  const row = {
    v: 1,
    tool_id: 's__t',
    server: 's',
    definition,
    definition_hash: HASH,
    admitted,
    first_seen: 0,
    last_changed: 0,
  } as const
  return { row, effects, effects_from: 'configured', risk: 'low', idempotent: true }
}

export function callWith(args: Json, more: Partial<Call> = {}): Call {
  return {
    call_id: 'call_000000000000000000000000',
    caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
    tool_id: 's__t',
    server: 's',
    definition_hash: HASH,
    canonical_args: JSON.stringify(args),
    args_hash: HASH,
    thread: 't1',
    trace: 'trace',
    received_at: 0,
    ...more,
  }
}

/** Facts on which only the policy decider has an opinion. */
export function neutralFacts(tool: Tool = toolWith()): Facts {
  return {
    now: 1,
    integrity: 'intact',
    tool,
    credential: 'active',
    pauses: [],
    look_alikes: [],
    ...NEUTRAL,
  } as object as Facts
}

/** Of the kernel and of the guests of this build. */
const NEUTRAL: object = Object.fromEntries(
  JUDGEMENT.facts.flatMap(({ name, neutral }) => (neutral === undefined ? [] : [[name, neutral]])),
)

const RANK: Record<Effect, number> = { allow: 0, ask: 1, block: 2 }

/** How strict a list of opinions is: none and allow are 0, ask 1, block 2. */
export const strictness = (opinions: readonly Opinion[]): number =>
  Math.max(0, ...opinions.map(({ effect }) => RANK[effect]))
