import { BlockList, isIP } from 'node:net'

/** Addresses that are not on the public internet (RFC 6890 and its successors). */
const NOT_PUBLIC: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  // Of IPv6 only 2000::/3 is public, except for ranges that embed or document other addresses.
  ['::', 3, 'ipv6'],
  ['4000::', 2, 'ipv6'],
  ['8000::', 1, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
]

// One list each: in a common one, every IPv4 address would also be compared as an IPv6 address.
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [net, prefix, family] of NOT_PUBLIC) blocked[family].addSubnet(net, prefix, family)

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether an address is on the public internet. IPv4 addresses inside IPv6 ones count as not public. */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && !blocked[familyOf(address)].check(address, familyOf(address))

const isLoopbackAddress = (address: string) => address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
const bareHost = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1')
const isLoopbackName = (host: string) => host === 'localhost' || isLoopbackAddress(host)

export type AddressRules = {
  /** Why nothing is sent to this URL; undefined if it may be used. */
  faultOf(url: URL): string | undefined
  /** The same for an address that a name resolved to. */
  faultOfAddress(host: string, address: string): string | undefined
}

/**
 * Where a login may lead. A tool server names its authorization server, so a hostile one could send the gate to addresses that
 * only the gate can reach. Only HTTPS and public addresses, except the tool server's own host, an authorization server that the
 * operator named, and, for a tool server on this machine, this machine.
 */
export function addressRules(server: string, issuer: string | undefined): AddressRules {
  const own = bareHost(new URL(server))
  const named = issuer === undefined ? undefined : bareHost(new URL(issuer))
  const is_local = isLoopbackName(own)

  function faultOfAddress(host: string, address: string): string | undefined {
    if (isPublicAddress(address) || host === own || host === named) return undefined
    if (is_local && isLoopbackAddress(address)) return undefined
    return `\`${host}\` has a private address; set \`login.issuer\` if that is intended`
  }

  return {
    faultOfAddress,
    faultOf(url) {
      const host = bareHost(url)
      if (url.username !== '' || url.password !== '') return 'the address contains credentials'
      const may_be_plain = isLoopbackName(host) && (is_local || host === named)
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && may_be_plain))
        return `\`${url.protocol}//${host}\` is not https`
      return isIP(host) === 0 ? undefined : faultOfAddress(host, host)
    },
  }
}
