import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { TrustedProxies } from '../../kernel/contract/auth-settings.ts'

/** The address of a request's client. */
export type ClientAddress = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string

/**
 * The address of the connection, unless it belongs to a configured proxy: then the address that the proxy reports. Proxies append to
 * their header, so its entries are read from the last one back, until one is not a configured proxy.
 * INVARIANT: an entry is used only if a configured proxy wrote it, never if a client did.
 */
export function clientAddress({ addresses, header }: TrustedProxies): ClientAddress {
  const proxies = blockListOf(addresses)
  /** The address of a connection does not change. */
  const read = new WeakMap<object, string | undefined>()
  const ownAddress = (socket: IncomingMessage['socket']): string | undefined => {
    if (read.has(socket)) return read.get(socket)
    const address = plainAddress(socket.remoteAddress ?? '')
    if (address !== undefined) read.set(socket, address)
    return address
  }
  const isProxy = (address: string) => addresses.length > 0 && proxies.check(address, familyOf(address))
  return ({ socket, headers }) => {
    let client = ownAddress(socket)
    if (client === undefined || !isProxy(client)) return client ?? ''
    const value = headers[header]
    const entries = value === undefined ? [] : entriesOf(header, Array.isArray(value) ? value.join(',') : value)
    for (const entry of entries.toReversed()) {
      const reported = entry === undefined ? undefined : plainAddress(entry)
      // Unreadable, or hidden by the proxy. Anybody may have written the entries before it.
      if (reported === undefined) return client
      client = reported
      if (!isProxy(client)) return client
    }
    return client
  }
}

function blockListOf(addresses: readonly string[]): BlockList {
  const list = new BlockList()
  for (const one of addresses) {
    const [address = '', bits] = one.split('/', 2)
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** The entries of the header in their order; undefined for one that cannot be read. */
function entriesOf(header: TrustedProxies['header'], value: string): readonly (string | undefined)[] {
  if (header === 'x-forwarded-for') return value.split(',').map((entry) => entry.trim())
  return splitOutside(value, ',').map(forwardedFor)
}

const FOR = /^for=(?:"([^"\\]*)"|([^\s"]*))$/i

/** `for` of one element of `Forwarded` (RFC 7239). An element with two of them counts as unreadable. */
function forwardedFor(element: string): string | undefined {
  const found = splitOutside(element, ';').flatMap((pair) => {
    const [, quoted, plain] = FOR.exec(pair.trim()) ?? []
    return quoted ?? plain ?? []
  })
  return found.length === 1 ? found[0] : undefined
}

/** Splits where no quotes are open. After an unclosed quote the rest is one part, which is then unreadable. */
function splitOutside(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = ['']
  let isQuoted = false
  let isEscaped = false
  for (const character of text) {
    if (character === separator && !isQuoted) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${character}`)
    if (character === '"' && !isEscaped) isQuoted = !isQuoted
    isEscaped = isQuoted && character === '\\' && !isEscaped
  }
  return parts
}

const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/i
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** An address without brackets, port and zone; an IPv4 address in IPv6 form as IPv4. Undefined for anything else. */
function plainAddress(text: string): string | undefined {
  const [, six, four] = WITH_PORT.exec(text) ?? []
  const [bare = ''] = (six ?? four ?? text).split('%')
  const address = MAPPED.exec(bare)?.[1] ?? bare
  return isIP(address) === 0 ? undefined : address.toLowerCase()
}
