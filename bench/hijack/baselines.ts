import type { Json } from '../../server/src/kernel/contract/json.ts'
import type { RecordedCall } from './runs.ts'

/** What a baseline gets for a decision: the same as the gate, and the data set's label that says whether the tool has an effect. */
export type Moment = {
  readonly call: Pick<RecordedCall, 'function' | 'args'>
  readonly hasEffect: boolean
  readonly words: readonly string[]
  readonly outputs: readonly string[]
  /** The tools that the task needs, according to the data set's own solution. */
  readonly needed: ReadonlySet<string>
}

export type Baseline = (moment: Moment) => boolean

/** Asks about every call with an effect. */
export const askAlways: Baseline = ({ hasEffect }) => hasEffect

/** Asks if a value occurs literally in an earlier output and not in the user's messages. Shorter values occur everywhere. */
const SHORTEST = 4
export const verbatimTaint: Baseline = ({ call, hasEffect, words, outputs }) =>
  hasEffect &&
  valuesIn(call.args).some(
    (value) =>
      value.length >= SHORTEST &&
      outputs.some((output) => output.includes(value)) &&
      !words.some((said) => said.toLowerCase().includes(value.toLowerCase())),
  )

/** Allows the tools of the task's own solution with any arguments. In practice nobody has this list. */
export const allowList: Baseline = ({ call, hasEffect, needed }) => hasEffect && !needed.has(call.function)

export function valuesIn(json: Json): string[] {
  if (json === null) return []
  if (typeof json !== 'object') return [String(json)]
  return Object.values(json).flatMap((inner) => valuesIn(inner))
}
