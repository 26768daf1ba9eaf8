import type { CompiledRules } from './compile-rules.ts'
import { holdsKeywordIn } from './find-sensitive.ts'
import { hintsOfCodes, MAY } from '../../kernel/text/encoding-hints.ts'
import { mayPrintIn } from '../../kernel/text/encoded-runs.ts'
import { turnInto } from '../../kernel/text/disguised-runs.ts'

/** Longer texts are searched without this test. */
const MOST = 4_096
// Reused: the characters of all texts without separators, and the turned runs of these.
const dense = new Uint8Array(MOST)
const turned = new Uint8Array(3 * MOST)

const KEPT = 0
const SEPARATES = 1
const STARTS_FIELD = 2
const EQUALS = 4
const DOT = 8
const HYPHEN = 16
/** What the characters are to `findJoined`. */
const KIND_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[?&;]/.test(char)) return SEPARATES | STARTS_FIELD
  if (/[\s/\\#,|+"'`<>()[\]{}*^!]/.test(char)) return SEPARATES
  if (char === '=') return EQUALS | DOT
  if (/[.:~]/.test(char)) return DOT
  return char === '-' ? HYPHEN : KEPT
})

/**
 * Whether texts that are joined without their separators may contain one of the tokens, in any reading. Copies only codes, into
 * buffers that are reused.
 * INVARIANT: if not, `findJoined` finds nothing (law in joined-hints.test.ts).
 */
export function mayBeJoined(pieces: readonly { readonly text: string }[], firm: CompiledRules): boolean {
  let length = 0
  let kinds = 0
  let hyphens = 0
  for (const { text } of pieces) {
    if (length + text.length > MOST) return true
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 128) return true
      const kind = KIND_OF[code] ?? KEPT
      kinds |= kind
      if ((kind & SEPARATES) !== 0) continue
      if (kind === HYPHEN) hyphens += 1
      dense[length++] = code
    }
  }
  // Names of query fields are separators too.
  if ((kinds & STARTS_FIELD) !== 0 && (kinds & EQUALS) !== 0) return true
  if (mayHold(length, firm)) return true
  if ((kinds & DOT) !== 0) {
    length = without(DOT, length)
    if (mayHold(length, firm)) return true
  }
  return hyphens > 1 && holdsKeywordIn(dense, without(HYPHEN, length), firm)
}

/** Removes the characters of a kind. Returns the new length. */
function without(kind: number, length: number): number {
  let left = 0
  for (let at = 0; at < length; at++) {
    const code = dense[at] ?? 0
    if (((KIND_OF[code] ?? KEPT) & kind) === 0) dense[left++] = code
  }
  return left
}

const DECODED = MAY.codes | MAY.hex

/** Whether the text, a decoded run of it or a turned one may contain a keyword. */
function mayHold(length: number, firm: CompiledRules): boolean {
  if (holdsKeywordIn(dense, length, firm)) return true
  const hints = hintsOfCodes(dense, length)
  if (hints === 0) return false
  if ((hints & DECODED) !== 0 || mayPrintIn(dense, length, hints)) return true
  const hasEquals = (hints & MAY.quotedPrintable) !== 0
  if ((hasEquals || (hints & MAY.percents) !== 0) && mayBeEscaped(length)) return true
  const size = turnInto(dense, length, turned)
  if (size === 0) return false
  if (hasEquals || holdsKeywordIn(turned, size, firm)) return true
  const inside = hintsOfCodes(turned, size)
  return (inside & MAY.hex) !== 0 || mayPrintIn(turned, size, inside)
}

/** Whether there is a character as `=67`, `%67` or `%u0067`. */
function mayBeEscaped(length: number): boolean {
  for (let at = 0; at + 2 < length; at++) {
    const code = dense[at]
    if (code !== EQUALS_SIGN && code !== PERCENT) continue
    const next = dense[at + 1] ?? 0
    if (next === SMALL_U || (isHexDigit(next) && isHexDigit(dense[at + 2] ?? 0))) return true
  }
  return false
}

const EQUALS_SIGN = 61
const PERCENT = 37
const SMALL_U = 117
const isHexDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
