import { trimmedEnd } from '../contract/trimmed.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map(Array.from(`${ALPHABET}-_`, (char, index) => [char, index < 64 ? index : index - 2]))

/** The bytes of base64 or base64url text, one character per byte; `undefined` if it is neither. Reads at most `limit` characters. */
export function decodeBase64(text: string, limit = 4096): string | undefined {
  const plain = trimmedEnd(text.slice(0, limit), '=')
  if (plain.length % 4 === 1 && text.length <= limit) return undefined
  let bits = 0
  let held = 0
  let decoded = ''
  for (const char of plain) {
    const value = VALUES.get(char)
    if (value === undefined) return undefined
    bits = ((bits << 6) | value) & 0xffff
    held += 6
    if (held < 8) continue
    held -= 8
    decoded += String.fromCharCode((bits >> held) & 0xff)
  }
  return decoded
}
