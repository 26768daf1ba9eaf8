import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { startHttp, withHttp, type HttpProcess } from '../../../../test/tool-servers/with-http-servers.ts'
import { withToolServers, type Rig } from '../../../../test/tool-servers/with-tool-servers.ts'

const withSdk = (args: readonly string[], use: (rig: Rig, server: HttpProcess) => Promise<void>) =>
  withHttp([startHttp('sdk-http.ts', { args })], (server) =>
    withToolServers([server?.as('sdk') ?? fail()], {}, (rig) => use(rig, server ?? fail())),
  )
const fail = (): never => {
  throw new Error('no server')
}

/** The headers in which the two clients may differ: they identify the client, not the request. */
const OWN = [
  'connection',
  'content-length',
  'user-agent',
  'accept-language',
  'sec-fetch-mode',
  'accept-encoding',
  'mcp-session-id',
]
type Received = { text: string; meta?: Record<string, unknown>; headers: Record<string, string> }

/** What the SDK's own client sends for the same call. */
async function sentBySdk(url: string): Promise<Received> {
  const client = new Client({ name: 'sluice', version: '0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  await client.listTools()
  const { content } = await client.callTool({ name: 'meta', arguments: { text: 'é' } })
  await client.close()
  return JSON.parse((content[0] as { text: string }).text) as Received
}

const without = (received: Received) =>
  Object.fromEntries(Object.entries(received.headers).filter(([name]) => !OWN.includes(name)))

describe('a server of the official SDK over HTTP', () => {
  const kinds = [
    [['both'], '2026-07-28'],
    [['modern', 'json'], '2026-07-28'],
    [['modern', 'sse'], '2026-07-28'],
    [['sessions'], '2025-11-25'],
    [['sessions', 'json'], '2025-11-25'],
  ] as const
  for (const [args, protocol] of kinds) {
    test(`${args.join(' ')}: a call carries exactly the headers of the SDK's own client, on MCP ${protocol}`, () =>
      withSdk(args, async ({ text, servers }, { url }) => {
        const received = JSON.parse(await text('sdk', 'meta', { text: 'é' })) as Received
        expect(received.text).toBe('é')
        expect(received.meta).toMatchObject({ 'sluice/idempotency-key': 'key-1', 'sluice/trace-id': 'trace-1' })
        expect(received.headers['mcp-protocol-version']).toBe(protocol)
        expect(received.headers['mcp-session-id'] !== undefined).toBe(args[0] === 'sessions')
        expect(without(received)).toEqual(without(await sentBySdk(url)))
        expect(servers.status()[0]).toMatchObject({ protocol, state: 'ready', starts: 1, tools: 4 })
      }))

    test(`${args.join(' ')}: a change of the tools is received`, () =>
      withSdk(args, async ({ text, listings }) => {
        expect(await text('sdk', 'grow')).toBe('grown')
        await expect.poll(() => listings.at(-1)?.definitions.map(({ name }) => name)).toContain('grown')
      }))
  }

  test('arguments that a tool wants in headers are there, including those that need encoding', () =>
    withSdk(['modern'], async ({ text }) => {
      expect(await text('sdk', 'near', { region: 'eu-1' })).toBe('near eu-1')
      expect(await text('sdk', 'near', { region: ' Zürich\r\n' })).toBe('near  Zürich\r\n')
      expect(await text('sdk', 'near', {})).toBe('near undefined')
    }))
})
