const SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** Characters that URL parsers drop: tabs and line breaks anywhere, control characters and spaces at the start. */
const LEFT_OUT = /[\t\n\r]|^[\p{Cc} ]+/gu
const PLAIN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#]|$)/i
const MAIL = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/u
const BARE_HOST = /^(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}(?::\d+)?$/u

export const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(headOf(text))

/** The first characters of a text without the dropped ones: enough for a scheme, however long the text is. */
function headOf(text: string): string {
  let head = ''
  for (let at = 0; at < text.length && head.length < LONGEST_SCHEME; at += 1) {
    const char = text.charAt(at)
    if (char === '\t' || char === '\n' || char === '\r' || (head === '' && isSkippedFirst(char))) continue
    if (!/[a-z0-9+.:/\\-]/i.test(char)) break
    head += char
  }
  return head
}
const LONGEST_SCHEME = 64
const isSkippedFirst = (char: string): boolean => /[\p{Cc} ]/u.test(char)
export const isMailAddress = (text: string): boolean => MAIL.test(text.trim())

/**
 * The host that a program would connect to for a URL, as browsers parse it: the part before an `@` is not the host, and a
 * backslash is a slash. Undefined if there is none.
 */
export function hostOf(address: string): string | undefined {
  const text = address.replaceAll(LEFT_OUT, '')
  const scheme = SCHEME.exec(text)?.[0]
  if (scheme === undefined) return undefined
  const after = text.slice(scheme.length)
  const authority = /^[\\/]{2,}([^\\/?#]*)/.exec(after)?.[1]
  if (authority === undefined || authority === '') return undefined
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return host === '' ? undefined : percentRead(host)
}

/** Percent-encoded hosts are decoded, because a program may do the same. */
function percentRead(host: string): string {
  return host.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The real host, if it is not obvious from the URL. Undefined if it is. */
export function hiddenHost(address: string): string | undefined {
  const host = hostOf(address)
  return host === undefined || PLAIN_ADDRESS.test(address) ? undefined : asciiHost(host)
}

/** The punycode of a value's host, if it contains non-ASCII letters. */
export function punycodeIn(text: string): string | undefined {
  const host = domainIn(text.trim())
  return host === undefined || isAscii(host) ? undefined : asciiHost(host)
}

function domainIn(text: string): string | undefined {
  if (isAddress(text)) return hostOf(text)
  if (isMailAddress(text)) return text.slice(text.lastIndexOf('@') + 1)
  return BARE_HOST.test(text) ? text.replace(/:\d+$/, '') : undefined
}

const IN_TEXT = /[a-z][a-z0-9+.-]{0,30}:[\\/]{2}[^\s"'`<>|;&()]+/gi
const HOST_IN_TEXT = /(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}_.+-]{1,64}@)?(?:[\p{L}\p{N}-]{1,63}\.){1,20}\p{L}{2,63}/gu

/** Every host that a text such as a command contains, once each. */
export function hostsIn(text: string): readonly string[] {
  const addresses = [...text.matchAll(IN_TEXT)].flatMap(([address]) => hostOf(address) ?? [])
  return [...new Set(addresses)]
}

/** Addresses of people and hosts in a text that is shown only in part. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(HOST_IN_TEXT)].map(([name]) => name)),
]

const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const FIRST_BIAS = 72
const FIRST_CODE = 128
/** More than any network has. The time to encode a label grows with the square of its length. */
const LONGEST_LABEL = 256

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/** A host as used on the network: every non-ASCII label in punycode (RFC 3492). */
function asciiHost(host: string): string {
  return host
    .normalize('NFKC')
    .toLowerCase()
    .split(/[.\u3002\uff0e\uff61]/u)
    .map((label) => (isAscii(label) || label.length > LONGEST_LABEL ? label : `xn--${encodeLabel(label)}`))
    .join('.')
}

function encodeLabel(label: string): string {
  const codes = Array.from(label, (char) => char.codePointAt(0) ?? 0)
  const plain = codes.filter((code) => code < FIRST_CODE)
  let encoded = plain.map((code) => String.fromCharCode(code)).join('')
  if (plain.length > 0) encoded += '-'
  let handled = plain.length
  let next = FIRST_CODE
  let delta = 0
  let bias = FIRST_BIAS
  while (handled < codes.length) {
    const least = Math.min(...codes.filter((code) => code >= next))
    delta += (least - next) * (handled + 1)
    next = least
    for (const code of codes) {
      if (code < next) delta += 1
      if (code !== next) continue
      encoded += digitsOf(delta, bias)
      bias = adapted(delta, handled + 1, handled === plain.length)
      delta = 0
      handled += 1
    }
    delta += 1
    next += 1
  }
  return encoded
}

function digitsOf(delta: number, bias: number): string {
  let digits = ''
  let rest = delta
  for (let place = BASE; ; place += BASE) {
    const threshold = Math.min(T_MAX, Math.max(T_MIN, place - bias))
    if (rest < threshold) return digits + digit(rest)
    digits += digit(threshold + ((rest - threshold) % (BASE - threshold)))
    rest = Math.floor((rest - threshold) / (BASE - threshold))
  }
}

const digit = (value: number) => String.fromCharCode(value < 26 ? value + 97 : value + 22)

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2))
  rest += Math.floor(rest / count)
  let bias = 0
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN))
    bias += BASE
  }
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}
