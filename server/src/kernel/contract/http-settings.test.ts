import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'

const ONE_KIND =
  'a server has exactly one of `command` (a program to start), `url` (a server to connect to), `openapi` (the description of an HTTP service), `commands` (commands to run), `client` (the built-in tools of a coding agent)'

const faultsOf = (server: object) => {
  const read = readConfig({ servers: { s: server } })
  return read.ok ? 'no fault' : read.problem.about['paths']
}
const url = 'https://tools.example/mcp'
const oauth = { token_url: 'https://id.example/token', client_id: 'c', client_secret: 'env:S' }

describe('a server that is reached over HTTP', () => {
  test('needs only its address, and has the same limits as every server', () =>
    expect(readConfig({ servers: { s: { url } } })).toMatchObject({
      value: { servers: { s: { url, headers: {}, timeout_ms: 30_000, concurrency: 16, output_limit: 10_485_760 } } },
    }))

  const faults: [object, string][] = [
    [{}, `servers.s.command: ${ONE_KIND}`],
    [{ command: 'x', url }, `servers.s.url: ${ONE_KIND}`],
    [{ url, openapi: 'x.yaml' }, `servers.s.openapi: ${ONE_KIND}`],
    [{ commands: {}, command: 'x' }, `servers.s.commands: ${ONE_KIND}`],
    [{ commands: {}, args: [] }, 'servers.s.args: unknown key'],
    [{ openapi: 'x.yaml', ur: url }, 'servers.s.ur: unknown key'],
    [{ url, args: [] }, 'servers.s.args: unknown key'],
    [{ url, env: {} }, 'servers.s.env: unknown key'],
    [{ command: 'x', headers: {} }, 'servers.s.headers: unknown key'],
    [{ url, heders: {} }, 'servers.s.heders: unknown key'],
    [{ url, oauth: { ...oauth, secret: 'x' } }, 'servers.s.oauth.secret: unknown key'],
    [{ url: 'tools.example' }, 'servers.s.url: write an address that starts with http:// or https://'],
    [{ url: 'file:///etc/passwd' }, 'servers.s.url: write an address that starts with http:// or https://'],
    [
      { url: 'https://me:hunter2@tools.example/' },
      'servers.s.url: an address without credentials and without a fragment',
    ],
    [{ url: 'https://tools.example/#x' }, 'servers.s.url: an address without credentials and without a fragment'],
    [{ url, headers: { 'no header': 'x' } }, 'servers.s.headers.no header: not the name of a header'],
    [{ url, headers: { Host: 'x' } }, 'servers.s.headers.Host: this header is set by the gate'],
    [{ url, headers: { 'Mcp-Session-Id': 'x' } }, 'servers.s.headers.Mcp-Session-Id: this header is set by the gate'],
    [
      { url, oauth: { ...oauth, token_url: 'http://id.example/token' } },
      'servers.s.oauth.token_url: secrets are only sent over https:// or to this machine',
    ],
    [
      { url, oauth: { ...oauth, token_url: 'http://localhost.example/token' } },
      'servers.s.oauth.token_url: secrets are only sent over https:// or to this machine',
    ],
    [{ url, tools: { a: { efects: [] } } }, 'servers.s.tools.a.efects: unknown key'],
    [{ url, oauth: { ...oauth, token_url: 'http://127.0.0.1:80/token' } }, 'no fault'],
    [{ url: 'http://10.0.0.1:8080/mcp?tenant=1' }, 'no fault'],
  ]
  test.each(faults)('%j: %s', (server, says) => expect(faultsOf(server)).toBe(says))
})
