/** In shorter texts a secret cannot be distinguished from chance. */
const SHORTEST_TEXT = 10

const CODES_64 = codesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', '-_', 62)
const CODES_32 = codesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', '', 0)

function codesOf(alphabet: string, also: string, from: number): Int8Array {
  const codes = new Int8Array(128).fill(-1)
  for (const [value, char] of Array.from(alphabet).entries()) codes[char.charCodeAt(0)] = value
  for (const [value, char] of Array.from(also).entries()) codes[char.charCodeAt(0)] = from + value
  return codes
}

const LINES_64 = /[A-Za-z0-9+/]{40}\s/

/**
 * The printable texts inside runs of base64 or base64url. A run may start with ordinary characters of the same alphabet (as in
 * `/data/`), so each of the four possible group offsets is tried.
 */
export function base64Texts(text: string): string[] {
  const whole = LINES_64.test(text) ? text.replace(/\s+/g, '') : text
  const texts: string[] = []
  for (const [run] of whole.matchAll(/[A-Za-z0-9+/_-]{14,}/g))
    for (let offset = 0; offset < 4; offset++) printable(bytesOf(run, offset, CODES_64, 6), texts)
  return texts
}

/** The same for base32, where eight offsets are tried. */
export function base32Texts(text: string): string[] {
  const texts: string[] = []
  for (const [run] of text.matchAll(/[A-Za-z2-7]{24,}/g)) {
    if (!/[2-7]/.test(run)) continue
    const upper = run.toUpperCase()
    for (let offset = 0; offset < 8; offset++) printable(bytesOf(upper, offset, CODES_32, 5), texts)
  }
  return texts
}

/** The same for hexadecimal, with or without separators between the bytes. */
export function hexTexts(text: string): string[] {
  const texts: string[] = []
  for (const [run] of text.matchAll(/(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :,-]?){10,}/g)) {
    const digits = run.replace(/0x|\\x|[ :,-]/g, '')
    for (let offset = 0; offset < 2; offset++) printable(hexBytes(digits, offset), texts)
  }
  return texts
}

function bytesOf(run: string, offset: number, codes: Int8Array, width: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, ((run.length - offset) * width) >> 3))
  let bits = 0
  let held = 0
  let count = 0
  for (let at = offset; at < run.length; at++) {
    bits = ((bits << width) | (codes[run.charCodeAt(at)] ?? 0)) & 0xffff
    held += width
    if (held < 8) continue
    held -= 8
    bytes[count++] = (bits >> held) & 0xff
  }
  return bytes
}

function hexBytes(digits: string, offset: number): Uint8Array {
  const bytes = new Uint8Array((digits.length - offset) >> 1)
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(digits.slice(offset + 2 * at, offset + 2 * at + 2), 16)
  return bytes
}

/** Adds the runs of printable ASCII. A zero byte between letters is half of a UTF-16 unit and does not end a run. */
function printable(bytes: Uint8Array, texts: string[]): void {
  let stretch = ''
  const end = () => {
    if (stretch.length >= SHORTEST_TEXT) texts.push(stretch)
    stretch = ''
  }
  for (const byte of bytes) {
    if ((byte >= 0x20 && byte <= 0x7e) || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      stretch += String.fromCharCode(byte)
    } else if (byte !== 0) end()
  }
  end()
}
