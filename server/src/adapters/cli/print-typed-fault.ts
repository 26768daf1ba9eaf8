import type { GateResponse } from './client.ts'
import { pointedAt } from './json-argument.ts'
import { fieldsOf, textOf, type Out } from './print.ts'

/** `typed` is the part of `body` that the person typed. */
export type TypedText = { readonly body: string; readonly typed: string }

const WHAT: Readonly<Record<string, string>> = {
  syntax: 'this is not JSON',
  depth: 'it is nested too deeply',
  duplicate_key: 'this name occurs twice in one object',
  lone_surrogate: 'this is a lone surrogate, half of a character',
  number: 'this number cannot be represented exactly; write it as a string in quotes',
}

/** If the gate rejects JSON, shows the place in the typed text; the gate reports the position in the whole request. */
export function printTypedFault(out: Out, reply: GateResponse, text: TypedText): void {
  const found = placeIn(reply, text)
  if (out.json || found === undefined) return
  out.error(`  ${WHAT[found.what] ?? 'here'}:`)
  for (const line of pointedAt(text.typed, found.place)) out.error(`  ${line}`)
}

/** The reply without the position in the whole request, if the place in the typed text is shown instead. */
export function withoutPosition(reply: GateResponse, text: TypedText): GateResponse {
  if (placeIn(reply, text) === undefined) return reply
  const { about: _, detail: __, ...rest } = fieldsOf(reply.body)
  return { ...reply, body: rest }
}

function placeIn(reply: GateResponse, { body, typed }: TypedText): { what: string; place: number } | undefined {
  const { code, about } = fieldsOf(reply.body)
  const { what, at } = fieldsOf(about)
  const place = Number(textOf(at)) - body.lastIndexOf(typed)
  if (code !== 'request.not_ijson' || at === undefined || place < 0 || place > typed.length) return undefined
  return { what: textOf(what), place }
}
