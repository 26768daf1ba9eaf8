/** In shorter texts a secret cannot be distinguished from chance. */
const SHORTEST_TEXT = 10

const isPrintable = (code: number): boolean => (code >= 0x20 && code <= 0x7e) || code === 0x0a || code === 0x09

/** Character codes in decimal: `103,104,112,95`. */
export function codeTexts(text: string): string[] {
  if (!/(?:\d{2,3}[ ,;:_/.-]{1,2}){10}/.test(text)) return []
  return Array.from(text.matchAll(/(?:\d{2,3}[ ,;:_/.-]{1,2}){9,4000}\d{2,3}/g), ([run]) =>
    (run.match(/\d+/g) ?? []).map(Number),
  )
    .filter((codes) => codes.every(isPrintable))
    .map((codes) => String.fromCharCode(...codes))
}

/** Bytes in binary digits, with or without separators. */
export function binaryTexts(text: string): string[] {
  const runs = text.match(/(?:[01]{8}[ ,_-]?){10,4000}/g) ?? []
  return runs
    .map((run) => (run.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
    .filter((codes) => codes.every(isPrintable))
    .map((codes) => String.fromCharCode(...codes))
}

/** Long enough for a secret, too short for a picture. */
const SHORTEST_RUN = 16
const LONGEST_RUN = 400
const LINE_BREAK = 0x0a
const OTHER = 0
const DIGIT = 1
const LETTER = 2
const SIGN = 4
/** The characters of a run: letters, digits, and the signs that tokens and addresses contain. */
const KIND_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[0-9]/.test(char)) return DIGIT
  if (/[A-Za-z]/.test(char)) return LETTER
  return /[_+/=.~-]/.test(char) ? SIGN : OTHER
})

/** Runs that may be a secret backwards, or with its letters rotated by 13: those with letters and digits. */
export function turnedTexts(text: string): string[] {
  const texts: string[] = []
  let start = 0
  let kinds = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : KIND_OF.length
    const kind = code < KIND_OF.length ? (KIND_OF[code] ?? OTHER) : OTHER
    kinds |= kind
    if (kind !== OTHER) continue
    const length = at - start
    if (length >= SHORTEST_RUN && length <= LONGEST_RUN && (kinds & DIGIT) !== 0 && (kinds & LETTER) !== 0)
      turnRun(text.slice(start, at), texts)
    start = at + 1
    kinds = 0
  }
  return texts
}

/**
 * Writes what `turnedTexts` returns for ASCII codes without `/` and `=`, each with a line break after it. Returns how many codes it wrote:
 * up to three times as many.
 */
export function turnInto(from: Uint8Array, length: number, to: Uint8Array): number {
  let size = 0
  let start = 0
  let kinds = 0
  for (let at = 0; at <= length; at++) {
    const kind = at < length ? (KIND_OF[from[at] ?? 0] ?? OTHER) : OTHER
    kinds |= kind
    if (kind !== OTHER) continue
    const count = at - start
    if (count >= SHORTEST_RUN && count <= LONGEST_RUN && (kinds & DIGIT) !== 0 && (kinds & LETTER) !== 0) {
      for (let back = at - 1; back >= start; back--) to[size++] = from[back] ?? 0
      to[size++] = LINE_BREAK
      for (let next = start; next < at; next++) to[size++] = ROTATED[from[next] ?? 0] ?? 0
      to[size++] = LINE_BREAK
    }
    start = at + 1
    kinds = 0
  }
  return size
}

function turnRun(run: string, texts: string[]): void {
  texts.push(backwards(run), rotated(run))
  if (!/[/=]/.test(run)) return
  // An address is also reversed part by part, because its host may stay in front.
  const parts = run.split(/[/=]/).filter((part) => part.length >= SHORTEST_TEXT)
  for (const part of new Set(parts)) texts.push(backwards(part), rotated(part))
}

const codes = Array.from({ length: LONGEST_RUN }, () => 0)

function backwards(text: string): string {
  for (let at = 0; at < text.length; at++) codes[text.length - 1 - at] = text.charCodeAt(at)
  return String.fromCharCode(...codes.slice(0, text.length))
}

function rotated(text: string): string {
  for (let at = 0; at < text.length; at++) codes[at] = ROTATED[text.charCodeAt(at)] ?? 0
  return String.fromCharCode(...codes.slice(0, text.length))
}

const ROTATED = Uint8Array.from({ length: 128 }, (_, code) => {
  const place = (code | 0x20) - 0x61
  return code >= 0x41 && place >= 0 && place < 26 ? code + (place < 13 ? 13 : -13) : code
})
