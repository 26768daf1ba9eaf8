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
const RUN = /(?<![\w+/=.~-])[\w+/=.~-]{16,400}(?![\w+/=.~-])/g
/** Runs that may be a secret backwards, or with its letters rotated by 13. */
export function turnedTexts(text: string): string[] {
  const texts: string[] = []
  for (const [run] of text.matchAll(RUN)) {
    if (!/\d/.test(run) || !/[A-Za-z]/.test(run)) continue
    texts.push(backwards(run), rotated(run))
    if (!/[/=]/.test(run)) continue
    // An address is also reversed part by part, because its host may stay in front.
    const parts = run.split(/[/=]/).filter((part) => part.length >= SHORTEST_TEXT)
    for (const part of new Set(parts)) texts.push(backwards(part), rotated(part))
  }
  return texts
}

/** Runs are ASCII, and have at most 400 characters. */
const LONGEST_RUN = 400
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
