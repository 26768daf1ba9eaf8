import { MOST_FOLDABLE } from '../contract/approval.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import type { Sentence } from '../contract/sentence.ts'
import { leafSteps, pointerOf, type ArgumentRole } from '../text/argument-roles.ts'

/** Shorter texts are shown whole everywhere, however many lines they have. */
export const SHOWN_WHOLE = 300
/** Longer arguments are cut in messages: a room, a notification or an answer cannot show them whole. */
export const LONGEST_IN_MESSAGES = 2_000

/** Recipients, amounts, commands and files are never folded, also not in a sentence that is cut. */
const FOLDABLE: ReadonlySet<ArgumentRole> = new Set(['content', 'query', 'place', 'name', 'id', 'other'])

/**
 * The long texts that a page may fold until somebody unfolds them: a field of the call itself that is prose. Whatever is nested is shown whole. Pure
 * and total.
 * INVARIANT: what the sentence names, and every recipient, amount, command and file, is not among them (foldable-texts.test.ts).
 */
export function foldableTexts(
  args: Json,
  tool_id: string,
  { pieces }: Pick<Sentence, 'pieces'>,
): readonly { readonly at: string; readonly text: string }[] {
  if (!isJsonObject(args)) return []
  const named = new Set(pieces.flatMap((piece) => (piece.is === 'text' || piece.at === undefined ? [] : [piece.at])))
  const long = Object.entries(args).flatMap(([key, value]) =>
    typeof value === 'string' && value.length >= SHOWN_WHOLE ? [{ key, at: pointerOf([key]), text: value }] : [],
  )
  if (long.length === 0) return []
  const kept = new Set(strict(Object.fromEntries(long.map(({ key, text }) => [key, text])), tool_id))
  return long
    .filter(({ at }) => !named.has(at) && !kept.has(at))
    .slice(0, MOST_FOLDABLE)
    .map(({ at, text }) => ({ at, text }))
}

/** Where something is that is never folded. */
function strict(args: Json, tool_id: string): readonly string[] {
  const steps = leafSteps(args, tool_id)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value.filter(({ role }) => !FOLDABLE.has(role)).map(({ at }) => at)
  }
}
