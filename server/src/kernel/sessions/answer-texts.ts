import type { Outcome } from '../contract/call.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import type { ValueSource } from './value-source.ts'
import type { AnswerText } from './enter-session.ts'

// Which parts of each answer somebody other than the reader wrote. Our own words, ids, states and times are not included.

type Of = { readonly of_call?: string; readonly of_run?: string }
/** A text that somebody else wrote, if there is one. `name` says what it is. */
export const answerText = (name: string, value: string | null | undefined, of: Of): AnswerText[] =>
  value === undefined || value === null || value === '' ? [] : [{ text: value, name, ...of }]

/** What was read back is reported as a sentence about the answer of another call. */
export function textsInOutcome(outcome: Outcome): readonly AnswerText[] {
  switch (outcome.status) {
    case 'executed':
      return [{ call: outcome.call_id }, ...answerText('a read-back', outcome.read_back, { of_call: outcome.call_id })]
    case 'failed':
      return outcome.result === undefined ? [] : [{ call: outcome.call_id }]
    default:
      return []
  }
}

/** For a packet: its preview, and the texts around its values. */
export type PacketTexts = {
  readonly approval_id: string
  readonly call_id: string
  readonly preview?: unknown
  readonly sources?: readonly ValueSource[]
}

export const textsInPacket = ({ approval_id, call_id, preview, sources = [] }: PacketTexts): readonly AnswerText[] => [
  ...(preview === undefined ? [] : [{ approval: approval_id }]),
  ...textsInSources(sources, { of_call: call_id }),
]

/** By reference if the text is the answer of a call. */
export function textsInSources(
  sources: readonly ValueSource[],
  of: { readonly of_call: string },
): readonly AnswerText[] {
  return sources.flatMap(({ where, excerpt, label }) =>
    where?.call_id === undefined ? answerText(label, excerpt, of) : [{ call: where.call_id }],
  )
}

/** Every string in the fields with these names, at any depth. */
export function stringsUnder(value: Json, fields: ReadonlySet<string>): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => stringsUnder(item, fields))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, inside]) =>
    fields.has(name) ? stringsIn(inside) : stringsUnder(inside, fields),
  )
}

/** Every string in a value, at any depth. */
export function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : []
}
