import type { Call } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'

const read = new WeakMap<object, Json>()

/** The arguments of a call as a value, parsed once for all deciders. A `Json` is never mutated. */
export function argsOf(call: Pick<Call, 'canonical_args'>): Json {
  const known = read.get(call)
  if (known !== undefined) return known
  const args = JSON.parse(call.canonical_args) as Json
  read.set(call, args)
  return args
}
