/** More layers of encoding than any program removes. */
const MOST_ROUNDS = 16
/** Without these characters there is nothing to decode. */
// oxlint-disable-next-line no-control-regex -- what is not plain ASCII may fold into it
const IS_PLAIN = /^[\x20-\x24\x26-\x7e]*$/
const CODES = /%u[0-9a-f]{4}|(?:%[0-9a-f]{2})+/gi

/**
 * A text decoded until nothing changes any more: percent-encoding in any number of layers, also with too many bytes (`%c0%ae`)
 * and as `%u002e`, full-width and other letters that fold into ASCII, and without invisible characters. Undefined if that never ends:
 * nobody writes such a text.
 */
export function decodedPath(text: string): string | undefined {
  let plain = text
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (IS_PLAIN.test(plain)) return plain
    const next = folded(plain)
      // Layers of the percent sign itself are removed at once.
      .replaceAll(/%(?:25)+(?=[0-9a-f]{2}|u[0-9a-f]{4})/gi, '%')
      .replaceAll(CODES, decodedRun)
    if (next === plain) return plain
    plain = next
  }
  return undefined
}

const folded = (text: string): string =>
  text.normalize('NFKC').replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')

/** Slashes, and characters that some programs take for one. */
const SEPARATORS = /[/\\?#\u2044\u2215\u2216\u29f5\u29f8\u29f9]/
/** Programs cut a name at these, or drop them: `..;x`, `..` before a control character, `..` before a space. */
// oxlint-disable-next-line no-control-regex -- these are looked for
const ENDS_NAME = /[;\0-\x1f].*$/su
const DROPPED = /[\s\p{C}]/gu

/**
 * The most dots that a part of a path or an address consists of: 1 is the folder itself, 2 and more lead out of it in some
 * program. Infinite for a text that cannot be decoded.
 */
export function mostDots(text: string): number {
  // URL parsers drop tabs and line breaks.
  const plain = decodedPath(text.replaceAll(/[\t\n\r]/g, ''))
  if (plain === undefined) return Infinity
  const parts = plain.split(SEPARATORS).map((part) => part.replace(ENDS_NAME, '').replaceAll(DROPPED, ''))
  return parts.reduce((most, part) => (/^\.+$/.test(part) ? Math.max(most, part.length) : most), 0)
}

function decodedRun(run: string): string {
  if (/^%u/i.test(run)) return String.fromCharCode(Number.parseInt(run.slice(2), 16))
  const bytes = run
    .slice(1)
    .split('%')
    .map((hex) => Number.parseInt(hex, 16))
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const [char, length] = charAt(bytes, at)
    text += char ?? run.slice(at * 3, (at + length) * 3)
    at += length
  }
  return text
}

/** The UTF-8 character at this byte and its length, as read by programs that accept more bytes than needed. */
function charAt(bytes: readonly number[], at: number): [string | undefined, number] {
  const first = bytes[at] ?? 0
  if (first < 0x80) return [String.fromCharCode(first), 1]
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0
  const more = bytes.slice(at + 1, at + length)
  if (length === 0 || first > 0xf7 || more.length < length - 1 || more.some((byte) => byte >> 6 !== 2))
    return [undefined, 1]
  const code = more.reduce((value, byte) => (value << 6) | (byte & 0x3f), first & (0x7f >> length))
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? [undefined, 1] : [String.fromCodePoint(code), length]
}
