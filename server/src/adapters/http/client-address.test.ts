import { describe, expect, test } from 'vitest'
import { clientAddress, type ClientAddress } from './client-address.ts'

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8']
type Header = 'x-forwarded-for' | 'forwarded'

const seen = (peer: string, headers: Record<string, string>, header: Header = 'x-forwarded-for', addresses = PROXIES) =>
  clientAddress({ addresses, header })({
    socket: { remoteAddress: peer },
    headers,
  } as unknown as Parameters<ClientAddress>[0])

describe('the address of a client', () => {
  test.each([
    ['203.0.113.9', {}, '203.0.113.9'],
    ['::ffff:203.0.113.9', {}, '203.0.113.9'],
    ['fe80::1%eth0', {}, 'fe80::1'],
    // A header from a client that is not a proxy.
    ['203.0.113.9', { 'x-forwarded-for': '198.51.100.1' }, '203.0.113.9'],
    ['203.0.113.9', { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' }, '203.0.113.9'],
    // Through one proxy, and through two.
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['::ffff:10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['192.0.2.7', { 'x-forwarded-for': '198.51.100.1, 10.9.9.9' }, '198.51.100.1'],
    ['fd00::5', { 'x-forwarded-for': '2001:DB8::1' }, '2001:db8::1'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1:4711' }, '198.51.100.1'],
    ['10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
    // The client's own entries come before the one that the proxy appended.
    ['10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 198.51.100.1' }, '198.51.100.1'],
    ['10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 10.0.0.2, 198.51.100.1' }, '198.51.100.1'],
    // The proxy sends no header, or something that is not an address.
    ['10.0.0.1', {}, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '' }, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1, unknown' }, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1,' }, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 10.0.0.256' }, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': "'; DROP TABLE counts" }, '10.0.0.1'],
    ['192.0.2.7', { 'x-forwarded-for': '_x, 10.0.0.1' }, '10.0.0.1'],
    // A header other than the configured one comes from the client.
    ['10.0.0.1', { forwarded: 'for=198.51.100.1' }, '10.0.0.1'],
    ['10.0.0.1', { 'x-real-ip': '198.51.100.1', 'x-client-ip': '198.51.100.1' }, '10.0.0.1'],
  ])('%s with %j is %s', (peer, headers, address) => {
    expect(seen(peer, headers)).toBe(address)
  })

  test.each([
    ['for=198.51.100.1', '198.51.100.1'],
    ['For="198.51.100.1:80";proto=https;by=10.0.0.1', '198.51.100.1'],
    ['for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for=127.0.0.1, for=198.51.100.1', '198.51.100.1'],
    ['for=198.51.100.1, for=10.0.0.2;by=10.0.0.1', '198.51.100.1'],
    ['for=127.0.0.1;x="a,for=10.0.0.2"', '127.0.0.1'],
    // Hidden, repeated, missing, or with an unclosed quote.
    ['for=198.51.100.1, for=_secret', '10.0.0.1'],
    ['for=198.51.100.1, for=unknown', '10.0.0.1'],
    ['for=198.51.100.1;for=10.0.0.2', '10.0.0.1'],
    ['proto=https', '10.0.0.1'],
    ['for="198.51.100.1', '10.0.0.1'],
    ['for="a, for=198.51.100.1', '10.0.0.1'],
  ])('by `Forwarded: %s` is %s', (value, address) => {
    expect(seen('10.0.0.1', { forwarded: value }, 'forwarded')).toBe(address)
    expect(seen('203.0.113.9', { forwarded: value }, 'forwarded')).toBe('203.0.113.9')
  })

  test('is the address of the connection if no proxy is configured', () => {
    for (const peer of ['10.0.0.1', '127.0.0.1', '::1'])
      expect(seen(peer, { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' }, undefined, [])).toBe(peer)
  })
})
