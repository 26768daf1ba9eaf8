import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { readingsOf } from '../../kernel/text/readings.ts'
import { findOwn, mayHoldAny, type OwnCredentials } from './find-own.ts'
import { holdsOwn } from './redact-own.ts'
import { textLeaves, type TextLeaf } from '../../kernel/text/text-leaves.ts'
import { triggeredTraps, type TriggeredTrap, type Trap } from './traps.ts'

/** Where the arguments contain something that no call may contain: one of the gate's own credentials, or a honey token. Never the text itself. */
export type GuardedTexts = {
  /** Keys and indexes from the root, one list per match. */
  readonly own: readonly (readonly string[])[]
  readonly sprung: readonly TriggeredTrap[]
}

export const NOTHING_GUARDED: GuardedTexts = { own: [], sprung: [] }

/** No credential is shorter. */
const SHORTEST = 12

/** `isQuiet` may only say no too often, never too rarely. */
export function findGuarded(
  args: Json,
  own: OwnCredentials,
  traps: readonly Trap[],
  isQuiet = holdsNothing,
): GuardedTexts {
  if (traps.length === 0 && isQuiet(args, own)) return NOTHING_GUARDED
  const leaves = textLeaves(args)
  const found = leaves
    .filter(({ text }) => text.length >= SHORTEST && (holdsOwn(text, own) || isDisguised(text, own)))
    .map(({ path }) => path)
  return {
    own: found.length > 0 ? found : splitOver(leaves, own),
    sprung: triggeredTraps(leaves, traps),
  }
}

/** More values are not compared in pairs before they are searched. */
const FEW_VALUES = 8

/**
 * Whether no credential can be in these arguments, in any reading. Nearly always, and nothing but a list of the values is allocated then.
 * INVARIANT: if so, the search finds nothing (law in guarded-texts.test.ts).
 */
function holdsNothing(args: Json, own: OwnCredentials): boolean {
  const values: string[] = []
  return collect(args, own, values) && values.length <= FEW_VALUES && !mayHoldAny(values, own)
}

/** Collects the values; false if a text may contain one in another reading. Recursion is bounded, because arguments have a limited depth. */
function collect(value: Json, own: OwnCredentials, values: string[]): boolean {
  if (typeof value === 'string') {
    values.push(value)
    return isAsWritten(value)
  }
  if (typeof value === 'number') values.push(String(value))
  if (Array.isArray(value)) return value.every((item: Json) => collect(item, own, values))
  if (!isJsonObject(value)) return true
  for (const name in value) {
    if (name.length >= SHORTEST && !(isAsWritten(name) && findOwn(name, own).length === 0)) return false
    if (!collect(value[name] ?? null, own, values)) return false
  }
  return true
}

/** Whether a text has no other reading. */
const isAsWritten = (text: string): boolean =>
  !/[%\\]/.test(text) && (text.length < SHORTEST_DISGUISED || readingsOf(text).texts.length === 0)

/** Longer texts are searched as written, and in base64 and hexadecimal, by `holdsOwn`. */
const LONGEST_READ = 4_096

/** A key of the gate has more than 50 characters. */
const SHORTEST_DISGUISED = 50

/** Whether a text contains a credential in an unusual encoding: backwards, as character codes, in base32 and so on. */
const isDisguised = (text: string, own: OwnCredentials): boolean =>
  text.length >= SHORTEST_DISGUISED &&
  text.length <= LONGEST_READ &&
  readingsOf(text).texts.some((reading) => findOwn(reading, own).length > 0)

/**
 * Up to this many arguments are also joined in pairs, in both orders, because the caller controls their canonical order by choosing names.
 */
const MOST_PAIRED = 20

/** A credential that is split over several arguments: none of them contains it, but together they do. */
function splitOver(leaves: readonly TextLeaf[], own: OwnCredentials): (readonly string[])[] {
  // The leaves are in reverse order.
  const values = leaves.filter(({ text, is }) => is === 'value' && text.length <= LONGEST_READ).toReversed()
  const length = values.reduce((sum, { text }) => sum + text.length, 0)
  if (values.length < 2 || length < SHORTEST_DISGUISED || length > 4 * LONGEST_READ) return []
  const texts = values.map(({ text }) => text)
  const isSplit =
    holdsOwn(texts.join(''), own) ||
    (texts.length <= MOST_PAIRED &&
      texts.some((one, at) => texts.some((other, index) => index !== at && findOwn(one + other, own).length > 0)))
  return isSplit ? values.slice(0, 1).map(({ path }) => path) : []
}
