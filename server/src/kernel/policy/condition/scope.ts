import type { Json } from '../../contract/json.ts'
import { argsOf } from '../../attempt/call-args.ts'
import type { PolicyCall, PolicyFacts } from '../policy.ts'
import { timeAt } from './time.ts'
import type { Variable } from './type.ts'
import { Failure, type Value } from './value.ts'

/** How many list elements one condition may look at. */
export const MAX_STEPS = 10_000

/** What one evaluation can see, and the steps it has left. Variables are computed on first use, because most rules use none. */
export type Scope = {
  readonly call: PolicyCall
  readonly facts: PolicyFacts
  /** The current elements of `exists` and `all`, outermost first. */
  readonly locals: Json[]
  steps: number
} & { [Name in Variable]: Value | undefined }

export function scopeOf(call: PolicyCall, facts: PolicyFacts): Scope {
  return {
    call,
    facts,
    locals: [],
    steps: 0,
    args: undefined,
    tool: undefined,
    caller: undefined,
    session: undefined,
    labels: undefined,
    time: undefined,
  }
}

/** How each variable is read. One function each, because evaluation spends most of its time here. */
export const READ: Readonly<Record<Variable, (scope: Scope) => Value>> = {
  args: (scope) => (scope.args ??= parseArgs(scope.call)),
  tool: (scope) => (scope.tool ??= toolOf(scope.facts)),
  caller: (scope) => (scope.caller ??= callerOf(scope.call)),
  session: (scope) => (scope.session ??= sessionOf(scope)),
  labels: (scope) => (scope.labels ??= scope.facts.labels ?? new Failure('the labels of this session are unknown')),
  time: (scope) => (scope.time ??= timeAt(scope.facts.now)),
}

function toolOf({ tool, tags, sandboxed = false }: PolicyFacts): Value {
  const { tool_id: id, server, definition } = tool.row
  const known = { id, name: definition.name, server, effects: tool.effects, risk: tool.risk, sandboxed }
  return { ...known, tags: tags ?? unknown('the tags of this tool are unknown') }
}

const callerOf = ({ caller: { id, kind, user } }: PolicyCall): Value => ({ id, user, kind, role: kind })

function sessionOf({ call: { thread: id }, facts: { lane } }: Scope): Value {
  if (lane === null) return { id }
  return { id, lane: lane ?? unknown('the lane of this call is unknown') }
}

/** INVARIANT: a variable's field may hold a Failure; `has` and field access pass it on (compile-access.ts). */
const unknown = (reason: string) => new Failure(reason) as unknown as Json

function parseArgs(call: PolicyCall): Value {
  try {
    return argsOf(call)
  } catch {
    return new Failure('the arguments are not JSON')
  }
}
