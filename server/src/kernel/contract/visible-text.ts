/**
 * Text from outside (agents, tool servers, people's names) in a form that may be shown. A character that is invisible, moves the
 * cursor or reverses letters is shown as an escape, so that the reader sees it instead of being misled by it.
 */

/** Ordinary writing: a joiner between emojis, an emoji variation, a joiner within a word of a script that uses it. */
const EMOJI_JOINER = '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})'
const EMOJI_FORM = '(?<=[\\p{Extended_Pictographic}#*0-9])\\uFE0F'
const WORD_JOINER = '(?<=(?!\\p{Script=Latin})[\\p{L}\\p{M}])[\\u200C\\u200D](?=(?!\\p{Script=Latin})[\\p{L}\\p{M}])'
const CJK = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]'
const CJK_SPACE = `(?<=${CJK})\\u3000(?=${CJK})`
/** Format characters that are drawn: signs before Arabic and Kaithi numbers, and the end of a verse. */
const DRAWN_FORMAT = '[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}]'
const ORDINARY = [EMOJI_JOINER, EMOJI_FORM, WORD_JOINER, CJK_SPACE, DRAWN_FORMAT].join('|')

/** Invisible or reversing characters: format characters, fillers, selectors, tags, private use, unassigned. */
const UNSEEN =
  '[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\u2800\\uFFFC\\u{1D159}]'
const ODD_SPACE = '(?! )\\p{Zs}'
/** A mark without a base letter, the fifth mark on one letter, and marks that strike a letter through or enclose it. */
const ODD_MARK =
  '(?<![\\p{L}\\p{N}\\p{M}\\p{Extended_Pictographic}])\\p{M}|(?<=\\p{M}{4})\\p{M}|[\\u0334-\\u0338]|(?!(?<=[#*0-9]\\uFE0F?)\\u20E3)[\\u20D0-\\u20F0]'

const HIDDEN = new RegExp(`(?!${ORDINARY})(?:${UNSEEN}|${ODD_SPACE}|${ODD_MARK})`, 'gu')
/** Characters that are always visible, in any position: Latin letters and usual punctuation. They need no compiled `HIDDEN`, which takes a slow phone 20 ms. */
const SEEN = '\\x20-\\x7e\\xa1-\\xac\\xae-\\u024f\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20bf\\u2190-\\u21ff'
const PLAIN = new RegExp(`^[${SEEN}]*$`)
const PLAIN_LINES = new RegExp(`^[${SEEN}\\n\\r\\t]*$`)
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * One line in which everything is visible.
 * INVARIANT: a JSON text stays the same JSON value, because the escapes are those of JSON (law in visible-text.test.ts).
 */
export function visibleText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, escaped)
}

/** The same with a mark in place of each such character, for texts of limited length; line breaks and tabs stay. */
export function markedText(text: string, mark = '·'): string {
  if (PLAIN_LINES.test(text)) return text
  return text.replace(HIDDEN, (found) => (found in NAMED || /\p{Zs}/u.test(found) ? found : mark))
}

/**
 * The same for pages and messages in which a value is part of a sentence: each such character by its number, `⟨U+202E⟩`.
 * INVARIANT: the result contains nothing invisible, not even a line break (law in visible-text.test.ts).
 */
export function numberedText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, (found) => numbered(found))
}

const numbered = (char: string) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

function escaped(found: string): string {
  const named = NAMED[found]
  if (named !== undefined) return named
  const first = `\\u${hex(found.charCodeAt(0))}`
  return found.length === 1 ? first : `${first}\\u${hex(found.charCodeAt(1))}`
}

const hex = (code: number) => code.toString(16).padStart(4, '0')

/** Many spaces would push what follows out of sight. */
export const countedSpaces = (line: string): string => line.replace(/ {24,}/g, (run) => `\\u0020{${run.length}}`)

const LONGEST_QUOTED = 120

/** Text from outside within one of our sentences: in backticks, which it cannot close, and limited to the length of a name. */
export function quoted(text: string, most: number = LONGEST_QUOTED): string {
  return `\`${shortened(countedSpaces(visibleText(text)), most).replaceAll('`', "'")}\``
}

/** Text from outside in a place of its own, such as a name in a table: one line of limited length. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const end = most - 1
  // Half a surrogate pair would be invisible.
  return `${text.slice(0, isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end)}…`
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff
