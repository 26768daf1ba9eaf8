import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { addressRules, isPublicAddress } from './address-rules.ts'
import { guardedFetch } from './guarded-fetch.ts'

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.169.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::8']
const PRIVATE = [
  '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 192.0.0.1',
  '198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1:: fc00::1',
  '2001:0:a00:1:: fd12::1 fe80::1 ff02::1 2001:db8::1 localhost',
].flatMap((line) => line.split(' '))

describe('where a login may lead', () => {
  test.each(PUBLIC)('%s is on the public internet', (address) => expect(isPublicAddress(address)).toBe(true))
  test.each(PRIVATE)('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))

  const rules = addressRules('https://mcp.example.com/mcp', undefined)
  const refused = [
    'http://login.example.com',
    'https://127.0.0.1',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:8080/',
    'http://localhost/',
    'ftp://login.example.com/',
    'https://a:b@login.example.com/',
  ]
  test.each(refused)('a remote server cannot redirect the gate to %s', (url) =>
    expect(rules.faultOf(new URL(url))).toBeDefined(),
  )
  test('it may lead to a public address over https', () =>
    expect(rules.faultOf(new URL('https://login.example.com/authorize'))).toBeUndefined())

  test('a name that resolves to this machine is rejected when it is resolved', async () => {
    let asked = 0
    const server = createServer(() => (asked += 1))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await expect(guardedFetch(rules, 1_000)(`https://localhost:${port}/`)).rejects.toThrow('has a private address')
    expect(asked).toBe(0)
    server.close()
  })

  test('an authorization server that the operator named may be private, and only that one', () => {
    const named = addressRules('https://mcp.example.com/mcp', 'https://10.0.0.7')
    expect(named.faultOf(new URL('https://10.0.0.7/token'))).toBeUndefined()
    expect(named.faultOf(new URL('https://10.0.0.8/token'))).toBeDefined()
  })

  test('a server on this machine may lead to this machine, and to no other private address', () => {
    const local = addressRules('http://127.0.0.1:3000/mcp', undefined)
    expect(local.faultOf(new URL('http://localhost:4000/token'))).toBeUndefined()
    expect(local.faultOf(new URL('https://10.0.0.7/token'))).toBeDefined()
    expect(local.faultOf(new URL('http://10.0.0.7/token'))).toBeDefined()
    expect(local.faultOf(new URL('http://127.evil.example.com/token'))).toBeDefined()
  })
})
