import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { timeAt } from '../../kernel/policy/condition/time.ts'
import { protocolIdOf, type Frame, type WorkflowState } from './state.ts'
import { valueAtPath, type Lookup, type TemplatePath } from './templates.ts'

/** What the steps of one frame can use besides the run itself. */
export type Around = {
  /** `steps`, given the outputs of the frame's own steps by index. */
  readonly steps: (own: JsonObject) => JsonObject
  /** Outputs of steps with an id, outside this frame. */
  readonly ids: JsonObject
  /** The variables of the enclosing loops. */
  readonly variables: JsonObject
  /** The prefix of displayed step numbers in this frame: `2.` before the index. */
  readonly prefix: string
}

export const OUTERMOST: Around = {
  steps: (own) => Object.fromEntries(Object.entries(own).map(([index, output]) => [`step_${index}`, output])),
  ids: {},
  variables: {},
  prefix: '',
}

/** What the steps of one iteration can use. */
export function around(outer: Around, frame: Frame, variable: string, item: Json): Around {
  return {
    steps: (own) => outer.steps({ ...frame.outputs, [frame.at]: own }),
    ids: { ...outer.ids, ...frame.ids },
    variables: { ...outer.variables, [variable]: item },
    prefix: `${outer.prefix}${frame.at}.`,
  }
}

/** What the tokens of a step can use. */
export function lookupIn(state: WorkflowState, frame: Frame, outer: Around): Lookup {
  return (path) => {
    const [root = '', ...rest] = path
    // A loop's variable hides a root of the same name.
    if (Object.hasOwn(outer.variables, root)) return valueAtPath(outer.variables, path)
    switch (root) {
      case 'input':
        return valueAtPath(state.input, rest)
      case 'state':
        return valueAtPath({ ...outer.ids, ...frame.ids }, rest)
      case 'steps':
        return valueAtPath(outer.steps(frame.outputs), rest)
      case 'output':
        return frame.last === undefined ? undefined : valueAtPath(frame.last, rest)
      case 'store':
        return storedValue(frame.loaded ?? {}, rest)
      case 'run':
        return valueAtPath(runFields(state), rest)
      case 'now':
        return rest.length === 0 ? isoTime(state.now) : undefined
      default:
        return undefined
    }
  }
}

function runFields(state: WorkflowState): JsonObject {
  const { run_id, trace, document, version, trigger, started_at } = state
  const { sender, room, source, message } = trigger
  return {
    id: run_id,
    trace,
    document,
    version,
    protocol: protocolIdOf(state),
    sender,
    room,
    source,
    message,
    started_at: isoTime(started_at),
  }
}

/** RFC 3339 in UTC, with milliseconds. */
export function isoTime(at: number): string {
  const { date, clock } = timeAt(at)
  const ms = ((at % 60_000) + 60_000) % 60_000
  return `${date}T${clock}:${String(Math.floor(ms / 1_000)).padStart(2, '0')}.${String(Math.floor(ms) % 1_000).padStart(3, '0')}Z`
}

/** Keys may contain dots, so the longest existing key counts. */
function storedValue(loaded: JsonObject, path: TemplatePath): Json | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const key = path.slice(0, length).join('.')
    if (Object.hasOwn(loaded, key)) return valueAtPath(loaded[key], path.slice(length))
  }
  return undefined
}
