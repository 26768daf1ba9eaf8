import { trimmedEnd } from '../../kernel/contract/trimmed.ts'

const LOCAL_V4 = [
  '0\\.|10\\.|127\\.|169\\.254\\.|192\\.168\\.|172\\.(?:1[6-9]|2\\d|3[01])\\.', // RFC 1122, 1918, 3927
  '100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\.|198\\.1[89]\\.', // carrier-grade NAT and benchmarks: RFC 6598, 2544
  '192\\.0\\.2\\.|198\\.51\\.100\\.|203\\.0\\.113\\.', // documentation: RFC 5737
  '22[4-9]\\.|2[34]\\d\\.|25[0-5]\\.', // multicast and reserved
]
const IS_LOCAL_V4 = new RegExp(`^(?:${LOCAL_V4.join('|')})`)

/** Loopback, private, documentation and multicast addresses: they do not identify anybody outside. */
export const isLocalV4 = (address: string): boolean => IS_LOCAL_V4.test(address)

const VERSION_BEFORE =
  /(?:versions?|(?<![a-z])(?:v|ver|release|build|rev|revision|firmware|kernel|tag|semver))["'`]?[ \t]{0,2}[:=<>~^]{0,2}[ \t]{0,2}["'`]?$|\w==$|[~^]$/i
const VERSION_AFTER =
  /^(?:[-+](?:alpha|beta|rc|snapshot|preview|dev|release|final|build)|\.(?:tar|tgz|zip|jar|whl|dll|exe|deb|rpm|gz)\b)/i

/** Whether four numbers separated by dots are a version, judging by the text around them. */
export function isVersion(text: string, start: number, end: number): boolean {
  if (VERSION_AFTER.test(text.slice(end, end + 12))) return true
  return VERSION_BEFORE.test(text.slice(Math.max(0, start - 20), start))
}

/** The same for IPv6: loopback, link-local, private, documentation and multicast, and IPv4 addresses written as IPv6. */
export function isLocalV6(address: string): boolean {
  const plain = address.toLowerCase().replace(/[%/].*$/, '')
  const v4 = /^(?:0*:){0,5}(?:ffff:|:ffff:|:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (v4 !== undefined) return isLocalV4(v4)
  if (/^[0:]*:0*[01]?$/.test(plain)) return true
  const [first = '', second = ''] = plain.split(':')
  const head = Number.parseInt(first === '' ? '0' : first, 16)
  const next = Number.parseInt(second === '' ? '0' : second, 16)
  if ((head & 0xfe00) === 0xfc00 || (head & 0xffc0) === 0xfe80 || (head & 0xff00) === 0xff00) return true
  return (head === 0x2001 && next === 0xdb8) || (head === 0x3fff && next < 0x1000)
}

/** How much of a run of hexadecimal groups and colons is an IPv6 address; 0 if none. */
export function ipv6Length(run: string): number {
  const [, address = '', suffix = ''] = /^([0-9A-Fa-f:.]*)(.*)$/.exec(run) ?? []
  // A period or colon at the end belongs to the sentence.
  const bare = address.endsWith('.') ? trimmedEnd(address, '.') : address.replace(/(?<!:):$/, '')
  if (!isIpv6(bare)) return 0
  return bare.length === address.length ? address.length + suffix.length : bare.length
}

function isIpv6(address: string): boolean {
  const halves = address.split('::')
  if (halves.length > 2 || address.includes(':::') || !/\d/.test(address)) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const v4 = groups.at(-1)?.includes('.') === true ? groups.pop() : undefined
  if (v4 !== undefined && !isIpv4(v4)) return false
  if (groups.some((group) => !/^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  const count = groups.length + (v4 === undefined ? 0 : 2)
  return halves.length === 2 ? count >= 1 && count < 8 : count === 8
}

function isIpv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) <= 255)
}

// What follows the at sign in names that are not addresses: images for dense screens, packages, decorators.
const FILE_ENDINGS = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|tsx|jsx|json|md|html?|so|dll|jar|whl|tgz|zip|py|go|rs)$/i

/** An e-mail address, and not `user:password@host` inside a URL or an SSH remote. */
export function isEmail(address: string, text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 80), start)
  if (/\/\/[^\s/@]{0,80}:$/.test(before) || before.endsWith('//')) return false
  if (address.startsWith('git@') && text[end] === ':') return false
  const [local = '', domain = ''] = address.split('@')
  return !local.startsWith('.') && !local.endsWith('.') && !address.includes('..') && !FILE_ENDINGS.test(domain)
}
