import { issueLines } from '../contract/issue-lines.ts'
import { Inputs, INPUTS_KEY } from '../approvals/asks.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import { canonicalJson } from './canonical.ts'

export type SplitArgs = { readonly args: Json; readonly inputs?: Inputs }

/** Splits a call's arguments into those of the tool's schema and the answers to the tool's questions. */
export function splitInputs(whole: Json): Result<SplitArgs> {
  if (!isJsonObject(whole) || !Object.hasOwn(whole, INPUTS_KEY)) return ok({ args: whole })
  const { [INPUTS_KEY]: given, ...args } = whole
  const read = Inputs.safeParse(given)
  // By reference: a copy could lose something the hash covers (a key called `__proto__`).
  if (read.success) return ok({ args, inputs: given as Inputs })
  const issues = read.error.issues.map((issue) => ({ ...issue, path: [INPUTS_KEY, ...issue.path] }))
  return refuse('call.args_invalid', { paths: issueLines(issues, 'the arguments').join('; ') })
}

/** What is sent for recorded arguments: both parts as the bytes that were hashed. */
export type Sendable = {
  readonly canonical_args: string
  readonly inputs?: { readonly canonical_responses: string; readonly state?: string }
}

export function sendableArgs(canonical_args: string): Sendable {
  if (!canonical_args.includes(INPUTS_KEY)) return { canonical_args }
  const split = splitInputs(JSON.parse(canonical_args) as Json)
  if (!split.ok) throw new Bug('recorded arguments were valid')
  const { args, inputs } = split.value
  if (inputs === undefined) return { canonical_args }
  const { responses, state } = inputs
  const asked = { canonical_responses: canonicalOf(responses), ...(state === undefined ? {} : { state }) }
  return { canonical_args: canonicalOf(args), inputs: asked }
}

function canonicalOf(value: Json): string {
  const canonical = canonicalJson(value)
  if (!canonical.ok) throw new Bug('a part of something canonical is canonical')
  return canonical.value
}
