import { bytesOfBase64, bytesOfHex } from '../../kernel/text/decode.ts'
import { looksLikePath } from '../../kernel/text/path-shapes.ts'

/** The length of `/etc`, the shortest path worth hiding, when encoded. */
const SHORTEST = 6
const LONGEST = 8192

/** `.sluice/admin.key`: ordinary file names separated by slashes. */
const RELATIVE = /^[\w. -]{1,255}(?:\/[\w. -]{1,255}){1,40}$/

/**
 * The paths that a text encodes as a whole in base64 or hexadecimal. The result must be printable and look like a path, so that
 * pictures, digests and ids do not count.
 */
export function encodedPaths(text: string): readonly string[] {
  const code = text.trim().replace(/^(?:base64:|data:[^,]{0,100};base64,|0x|hex:|\\x)/i, '')
  if (code.length < SHORTEST || code.length > LONGEST) return []
  const found = new Set<string>()
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(code)) found.add(bytesOfBase64(code))
  const digits = code.replace(/\\x|[\s:]|0x/gi, '')
  if (/^(?:[0-9a-f]{2})+$/i.test(digits)) found.add(bytesOfHex(digits))
  return [...found].filter((path) => /^[\x20-\x7e]{4,}$/.test(path) && (looksLikePath(path) || RELATIVE.test(path)))
}
