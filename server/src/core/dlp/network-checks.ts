const LOCAL_V4 =
  /^(?:10\.|127\.|0\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|22[4-9]\.|23\d\.|24\d\.|25[0-5]\.)/

/** Addresses of the machine itself, of private networks and of groups: they identify nobody outside. */
export const isLocalV4 = (address: string): boolean => LOCAL_V4.test(address)

/** How much of a run of hexadecimal groups and colons is an IPv6 address; 0 if none. */
export function ipv6Length(run: string): number {
  const [, address = '', suffix = ''] = /^([0-9A-Fa-f:.]*)(.*)$/.exec(run) ?? []
  // A full stop or a colon at the end belongs to the sentence.
  const bare = address.replace(/\.+$|(?<!:):$/, '')
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

// What follows the at sign in names that are no addresses: images for dense screens, packages, decorators.
const FILE_ENDINGS = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|tsx|jsx|json|md|html?|so|dll|jar|whl|tgz|zip|py|go|rs)$/i

/** An e-mail address, and not `user:password@host` inside a URL, nor an SSH remote. */
export function isEmail(address: string, text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 80), start)
  if (/\/\/[^\s/@]{0,80}:$/.test(before) || before.endsWith('//')) return false
  if (address.startsWith('git@') && text[end] === ':') return false
  const [local = '', domain = ''] = address.split('@')
  return !local.startsWith('.') && !local.endsWith('.') && !address.includes('..') && !FILE_ENDINGS.test(domain)
}
