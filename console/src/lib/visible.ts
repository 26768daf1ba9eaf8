/**
 * Text of agents, tools and people as it may be shown on the page: every character that is invisible, reverses the text or could
 * hide others is printed as its code point.
 */
import { visibleText } from '../../../server/src/kernel/contract/visible-text.ts'

const ESCAPE = /\\u([0-9a-f]{4})(?:\\u([0-9a-f]{4}))?/g

function codePoint(first: string, second: string | undefined): string {
  const high = Number.parseInt(first, 16)
  if (second === undefined) return `⟨U+${first.toUpperCase()}⟩`
  const low = Number.parseInt(second, 16)
  const isPair = high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
  if (!isPair) return `⟨U+${first.toUpperCase()}⟩⟨U+${second.toUpperCase()}⟩`
  const point = (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
  return `⟨U+${point.toString(16).toUpperCase()}⟩`
}

/** Every part of a text. `odd` parts replace characters that are not shown as they are. */
export type VisibleText = { readonly text: string; readonly odd: boolean }

/** `true`: line breaks and tabs stay as they are. `marked`: a line break has a mark before it. Otherwise there is one line. */
type Lines = { readonly lines?: boolean | 'marked' }

export function shownParts(text: string, { lines = false }: Lines = {}): readonly VisibleText[] {
  const parts: VisibleText[] = []
  const push = (piece: string, odd: boolean) => {
    const last = parts.at(-1)
    if (piece === '') return
    if (last?.odd === odd) parts[parts.length - 1] = { text: last.text + piece, odd }
    else parts.push({ text: piece, odd })
  }
  for (const char of pieces(text)) {
    if (lines === 'marked' && char === '\n') {
      push('⏎', true)
      push(char, false)
    } else if (lines !== false && (char === '\n' || char === '\t')) push(char, false)
    else if (/ {24,}/.test(char)) push(`⟨${char.length} spaces⟩`, true)
    else {
      const seen = visibleText(char)
      if (seen === char) push(char, false)
      else if (seen === '\\n' || seen === '\\r' || seen === '\\t')
        push(seen === '\\n' ? '⏎' : seen === '\\t' ? '⇥' : '⟨U+000D⟩', true)
      else
        push(
          seen.replaceAll(ESCAPE, (_, first: string, second?: string) => codePoint(first, second)),
          true,
        )
    }
  }
  return parts
}

/**
 * Runs that `visibleText` leaves alone as a whole, and the characters it escapes one by one: a joiner inside an emoji is
 * ordinary only beside its neighbours, so the text is cut only where an escape was made.
 */
function* pieces(text: string): Generator<string> {
  const seen = visibleText(text)
  if (seen === text) {
    yield* text.split(/( {24,})/)
    return
  }
  let from = 0
  for (let at = 0; at < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const isOdd = visibleText(char) !== char && !isOrdinaryHere(text, at, char)
    if (isOdd) {
      yield* text.slice(from, at).split(/( {24,})/)
      yield char
      from = at + char.length
    }
    at += char.length
  }
  yield* text.slice(from).split(/( {24,})/)
}

/** Whether the character is left as it is between its neighbours. */
function isOrdinaryHere(text: string, at: number, char: string): boolean {
  const around = text.slice(Math.max(0, at - 8), at + char.length + 8)
  const before = text.slice(Math.max(0, at - 8), at)
  const seen = visibleText(around)
  const lead = visibleText(before)
  return seen.startsWith(lead) && seen.startsWith(char, lead.length)
}

export const shownText = (text: string, options?: Lines): string =>
  shownParts(text, options)
    .map((part) => part.text)
    .join('')
