import { asciiLookAlike } from '../../kernel/catalogue/confusables.ts'
import { readingsOf } from '../../kernel/text/readings.ts'
import { bytesOfBase64 } from '../../kernel/text/decode.ts'
import { braceVariants } from '../../kernel/text/brace-variants.ts'

/** A longer text is compared as written, because decoding it would delay every other call. */
const LONGEST_DECODED = 8192
const LONGEST_BRACES = 1024
const MOST = 40

/** Characters that a decoder or a shell would interpret: punctuation, non-ASCII letters, or a run that may be an encoding. */
const HAS_SPELLINGS = /[^\w./ ,:;!?()<>\n-]|[a-z0-9][A-Z]|\d[A-Za-z]\d|[0-9A-Fa-f]{14}/

/**
 * The names that a text may refer to, after undoing what a file system, a shell, an interpreter or a decoder undoes before it opens
 * a file: encodings, letter case, look-alike letters, quotes, escapes, variables, and concatenated literals. In lower case.
 */
export function nameSpellings(text: string): readonly string[] {
  if (text.length > LONGEST_DECODED) return [text.toLowerCase()]
  if (!HAS_SPELLINGS.test(text)) return [text.toLowerCase()]
  const found = new Set<string>()
  for (const reading of [text, ...readingsOf(text).texts, ...shortCodes(text)]) {
    for (const spelling of shellSpellings(folded(reading))) {
      if (found.size < MOST) found.add(spelling)
      if (found.size < MOST && /\{[^{}]*,/.test(spelling)) found.add(withoutBraces(spelling))
    }
  }
  return [...found]
}

/** Expands `.slu{,x}ice` as a shell does. */
const withoutBraces = (text: string): string =>
  text
    .slice(0, LONGEST_BRACES)
    .split(' ')
    .slice(0, MOST)
    .flatMap((word) => braceVariants(word) ?? [word])
    .join(' ')

/** `YWRtaW4ua2V5` alone, or UTF-16 in base64: too short or unusual for the scanner for secrets. */
function shortCodes(text: string): readonly string[] {
  const runs = text.match(/[A-Za-z0-9+/_-]{10,}={0,2}/g) ?? []
  return runs.slice(0, 16).flatMap((run) => {
    const once = bytesOfBase64(run).replaceAll('\0', '')
    return [once, ...(/^[A-Za-z0-9+/_-]{10,}={0,2}$/.test(once) ? [bytesOfBase64(once)] : [])]
  })
}

const SLASHES = /[\u2044\u2215\u29f8\u2571\uff0f]/g
const BACKSLASHES = /[\u2216\u29f5\ufe68\uff3c]/g
const DOTS = /[\u2024\u3002\uff0e\uff61\ua4f8]/g

function folded(text: string): string {
  // oxlint-disable-next-line no-control-regex -- everything beyond ASCII
  if (!/[^\x00-\x7f]/.test(text)) return text.toLowerCase()
  return text
    .replace(SLASHES, '/')
    .replace(BACKSLASHES, '\\')
    .replace(DOTS, '.')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[^\p{ASCII}]/gu, (letter) => asciiLookAlike(letter) ?? letter)
    .toLowerCase()
}

const CONCATENATED = /["'`]\s{0,9}(?:\+|\.{1,2}|,|\|\||&|~)?\s{0,9}["'`]/g
const ASSIGNED = /\b([a-z_]\w{0,30})=["']?([^\s"';&|]{1,200})/g

function shellSpellings(text: string): readonly string[] {
  const whole = text.replace(/\\\r?\n/g, '')
  const slashed = whole.replaceAll('\\', '/')
  const bare = unquoted(whole)
  if (!/["'`$^]/.test(whole)) return [slashed, bare]
  const assigned = new Map([...whole.matchAll(ASSIGNED)].map(([, name = '', value = '']) => [name, value]))
  const filled = withVariables(whole, (name) => assigned.get(name))
  const cut = withVariables(whole.replace(/\$\([^()]{0,200}\)|`[^`]{0,200}`/g, ''), () => '')
  return [slashed, bare, unquoted(whole.replace(CONCATENATED, '')), unquoted(filled), unquoted(cut), unquoted(slashed)]
}

const unquoted = (text: string) => text.replace(/["'`^\\]/g, '')

function withVariables(text: string, valueOf: (name: string) => string | undefined): string {
  return text
    .replace(/\$\{([a-z_]\w{0,30})[^{}]{0,100}\}/g, (all, name: string) => valueOf(name) ?? all)
    .replace(/\$([a-z_]\w{0,30})/g, (all, name: string) => valueOf(name) ?? all)
    .replace(/\$[@*#?!\d-]/g, '')
}
