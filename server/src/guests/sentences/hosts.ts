import { asciiHost, isAscii } from './punycode.ts'

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
