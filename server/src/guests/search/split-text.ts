/** A word of a text, in lower case and without accents, and what its context says about it. */
export type Word = {
  readonly text: string
  /** The words of one identifier share a group; `joined` forms are added to their parts. */
  readonly group: number
  readonly joined: boolean
  readonly start: number
  readonly capital: boolean
}

const RUN = /[\p{L}\p{N}]+/gu
/** Plural acronyms, acronyms, capitalized or lower-case words, numbers, and words of scripts without case. */
const PART = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}]+/gu
const GLUE = new Set(['_', '-', '.', '/', ':'])
const IS_ASCII = /^[\0-\x7f]*$/
const HAS_NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const MAX_JOINED = 32

/**
 * The words of a text or an identifier: `createIoT_device-2` is create, io, t, device, 2 and also iot. Linear in the length of
 * the text, which callers limit.
 */
export function splitText(text: string): Word[] {
  const plain = IS_ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  const words: Word[] = []
  let group = -1
  let end = -2
  let before: string | undefined
  for (const match of plain.matchAll(RUN)) {
    const run = match[0]
    const glued = match.index === end + 1 && GLUE.has(plain[end] ?? '')
    if (!glued) group += 1
    const parts = run.match(PART) ?? [run]
    for (const part of parts) pushWord(words, part, group, match.index)
    const small = run.toLowerCase()
    // A part of one or two letters means nothing alone: `IoT`, `s3`, `e-mail` also count as a whole.
    if (parts.length > 1 && parts.some((part) => part.length < 3)) pushJoined(words, small, group, match.index)
    if (glued && before !== undefined && Math.min(before.length, small.length) < 3)
      pushJoined(words, before + small, group, match.index)
    before = small
    end = match.index + run.length
  }
  return words
}

function pushWord(words: Word[], part: string, group: number, start: number): void {
  const text = part.toLowerCase()
  const capital = text !== part
  if (!HAS_NO_SPACES.test(text) || text.length < 3) {
    words.push({ text, group, joined: false, start, capital })
    return
  }
  // Scripts without spaces: every pair of adjacent characters is a word.
  const letters = Array.from(text)
  for (let at = 0; at + 1 < letters.length; at += 1)
    words.push({ text: `${letters[at]}${letters[at + 1]}`, group, joined: false, start, capital: false })
}

function pushJoined(words: Word[], text: string, group: number, start: number): void {
  if (text.length <= MAX_JOINED) words.push({ text, group, joined: true, start, capital: false })
}
