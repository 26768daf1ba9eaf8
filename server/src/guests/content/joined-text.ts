import type { CompiledRules } from './compile-rules.ts'
import { locate } from './find-sensitive.ts'
import { mayBeJoined } from './joined-hints.ts'
import { looksRandom, wordShare } from './randomness.ts'
import { readingsOf } from '../../kernel/text/readings.ts'
import type { ContentRule } from './rule.ts'

/** A text and its path. */
export type Piece = { readonly text: string; readonly path: string }

export type JoinedMatch = Pick<ContentRule, 'type' | 'kind'> & { readonly rule: string; readonly piece: number }

/** What separates the parts of an address, of a list or of a token that was split up, including names of query fields. */
const BETWEEN = /[?&;][\w.-]{1,40}=|[\s/\\?&#,;|+"'`<>()[\]{}*^!]+/g
/** The same, plus the punctuation that tokens themselves contain. */
const ALSO_DOTS = /[.:=~]+/g

/** Words that precede a hyphen or a dot in ordinary text too. */
const PLAIN_WORDS = new Set('access api auth0 hooks ico key machine pat pubkey pul sat sdk tk v1 webhook'.split(' '))

/** Rules that can be searched for in text without its separators: the token is recognizable by itself, as `ghp_` is. */
export const isFirm = (rule: Pick<ContentRule, 'at' | 'kind' | 'keywords' | 'check'>): boolean =>
  rule.at === 'keyword' &&
  rule.kind === 'secret' &&
  rule.check === undefined &&
  rule.keywords.every((word) => word.length >= 4 && !PLAIN_WORDS.has(/^([a-z0-9]+)[_.-]/.exec(word)?.[1] ?? 'key'))

/**
 * Finds tokens that were split over several fields, path segments or words, by searching all texts joined in order without
 * separators. Only formats that are recognizable by their first characters, and only if the rest looks random. `mayBe` may only say yes too
 * often, never too rarely.
 */
export function findJoined(pieces: readonly Piece[], firm: CompiledRules, mayBe = mayBeJoined): JoinedMatch[] {
  if (!mayBe(pieces, firm)) return []
  const dense = pieces.map(({ text }) => text.replace(BETWEEN, ''))
  const joined = dense.join('')
  const found = findIn(joined, dense, firm)
  // Without such a character, removing them changes nothing, so a second search would find the same.
  const denser = /[.:=~]/.test(joined) ? dense.map((text) => text.replace(ALSO_DOTS, '')) : dense
  if (denser !== dense) found.push(...findIn(denser.join(''), denser, firm))
  // `ghp_D-4aB3d-E5gH7`: tokens that contain hyphens themselves were found above.
  const bare = /-[^-]{1,24}-/.test(joined) ? denser.map((text) => text.replace(/-+/g, '')) : denser
  if (bare !== denser) found.push(...findIn(bare.join(''), bare, firm))
  found.push(...findDecoded(joined, firm))
  if (denser !== dense) found.push(...findDecoded(denser.join(''), firm))
  return found
}

/** Longer texts are not decoded as a whole. */
const LONGEST_DECODED = 4_096

/** An encoded token whose parts are in several fields, or in several labels of a host name. */
function findDecoded(text: string, firm: CompiledRules): JoinedMatch[] {
  const found: JoinedMatch[] = []
  if (text.length > LONGEST_DECODED) return found
  for (const reading of readingsOf(text).texts)
    for (const { type, rule, kind, start, end } of locate(reading, firm).spans)
      if (isRandomToken(reading.slice(start, end))) found.push({ type, rule, kind, piece: 0 })
  return found
}

function findIn(text: string, pieces: readonly string[], firm: CompiledRules): JoinedMatch[] {
  const found: JoinedMatch[] = []
  for (const { type, rule, kind, start, end } of locate(text, firm).spans)
    if (isRandomToken(text.slice(start, end))) found.push({ type, rule, kind, piece: pieceAt(pieces, start) })
  return found
}

const isRandomToken = (token: string): boolean => looksRandom(token, 16) && wordShare(token) <= 0.4

/** The text that contains an offset in the joined text. */
function pieceAt(pieces: readonly string[], offset: number): number {
  let end = 0
  return pieces.findIndex((text) => {
    end += text.length
    return offset < end
  })
}
