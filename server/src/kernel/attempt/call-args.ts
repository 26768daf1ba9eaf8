import type { Call } from '../contract/call.ts'
import type { Json } from '../contract/json.ts'

/** The last text that was parsed. One is enough, because a call is usually judged without interruption. */
let last: { readonly text: string; readonly args: Json } = { text: 'null', args: null }

/** The arguments of a call as a value, parsed once for all deciders. A `Json` is never mutated. */
export const argsOf = (call: Pick<Call, 'canonical_args'>): Json => parsedArgs(call.canonical_args)

/** The same for arguments that are only a text. */
export function parsedArgs(text: string): Json {
  if (last.text === text) return last.args
  const args = JSON.parse(text) as Json
  if (text.length <= LONGEST_KEPT) last = { text, args }
  return args
}

/** Longer arguments are not kept in memory after their call. */
const LONGEST_KEPT = 65_536
