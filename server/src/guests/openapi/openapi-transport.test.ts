import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'
import { withToolServers, type Rig } from '../../../test/tool-servers/with-tool-servers.ts'
import { serverConfigs } from '../../adapters/upstream/server-config.ts'
import { SERVER_KINDS } from '../../main/server-kinds.ts'

const FILE = `
openapi: 3.0.3
info: { title: things, version: '1' }
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getThing }
    delete: { operationId: dropThing }
  /things:
    post:
      operationId: addThing
      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
  /outside: { get: { operationId: outside, parameters: [{ $ref: 'elsewhere.yaml#/p' }] } }
`

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Thing = Rig & { readonly seen: Seen[]; readonly base: string }
type Answer = (request: Seen, response: ServerResponse, request_message: IncomingMessage) => void

/** A real API, and the gate's connection to it. */
async function beside(
  answer: Answer,
  settings: object,
  use: (rig: Thing) => Promise<void>,
  file = FILE,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-openapi-'))
  writeFileSync(join(folder, 'things.yaml'), file)
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body })
      answer({ method, url, headers, body }, response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = readConfig({
    servers: { things: { openapi: 'things.yaml', base_url: `${base}/v1`, output_limit: 100_000, ...settings } },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const configs = serverConfigs(SERVER_KINDS, config.value.servers, folder, { SECRET: 'hunter2/hunter2=x' })
  if (!configs.ok) throw new Error(JSON.stringify(configs.problem))
  try {
    await withToolServers(configs.value, {}, (rig) => use({ ...rig, seen, base }))
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const json: Answer = (_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"ok":true}')
}
const status =
  (code: number, body = '', headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(code, headers)
    response.end(body)
  }

describe('an API described by a file', () => {
  test('is called as the operation says, with the key that identifies a repetition', () =>
    beside(json, {}, async ({ call, seen, servers, listings, logged }) => {
      expect(await servers.ready('things')).toMatchObject({ ok: true, value: { state: 'ready', tools: 3 } })
      expect(listings[0]?.definitions.map(({ name }) => name)).toEqual(['getThing', 'dropThing', 'addThing'])
      expect(logged.join('\n')).toContain('its operation `outside` is not offered')
      expect(await call('things', 'addThing', { body: { b: 1, a: 'x' } })).toEqual({
        is: 'answered',
        result: {
          content: [{ type: 'text', text: '{"ok":true}' }],
          structuredContent: { ok: true },
          _meta: { 'sluice/http-status': 200 },
        },
      })
      expect(seen).toMatchObject([
        { method: 'POST', url: '/v1/things', body: '{"b":1,"a":"x"}', headers: { 'idempotency-key': 'key-1' } },
      ])
      await call('things', 'getThing', { id: 'a/b?c' })
      expect(seen[1]).toMatchObject({ method: 'GET', url: '/v1/things/a%2Fb%3Fc', body: '' })
    }))

  const credentials: [object, (seen: Seen) => unknown, string][] = [
    [{ auth: { bearer: 'env:SECRET' } }, ({ headers }) => headers.authorization, 'Bearer hunter2/hunter2=x'],
    [
      { auth: { basic: { user: 'ana', password: 'env:SECRET' } } },
      ({ headers }) => headers.authorization,
      `Basic ${Buffer.from('ana:hunter2/hunter2=x').toString('base64')}`,
    ],
    [
      { auth: { api_key: { in: 'header', name: 'X-Key', value: 'env:SECRET' } } },
      ({ headers }) => headers['x-key'],
      'hunter2/hunter2=x',
    ],
    [
      { auth: { api_key: { in: 'query', name: 'key', value: 'env:SECRET' } } },
      ({ url }) => url,
      '/v1/things/1?key=hunter2%2Fhunter2%3Dx',
    ],
    [{ headers: { 'X-Key': 'env:SECRET' } }, ({ headers }) => headers['x-key'], 'hunter2/hunter2=x'],
  ]
  test.each(credentials)('gets the credential of %j, which no answer repeats', (settings, where, expected) =>
    beside(
      ({ headers, url }, response) => {
        response.writeHead(400, { 'content-type': 'text/plain' })
        response.end(`bad request: ${url} ${JSON.stringify(headers)}`)
      },
      settings,
      async ({ call, seen }) => {
        const answer = await call('things', 'getThing', { id: '1' })
        expect(seen.map(where)).toEqual([expected])
        expect(answer).toMatchObject({ is: 'answered', result: { isError: true } })
        expect(JSON.stringify(answer)).not.toMatch(/hunter2|aHVudGVyM/)
      },
    ),
  )

  test('gets a token by client credentials, and a new one when the old one is rejected', () => {
    let issued = 0
    const answer: Answer = (request, response, message) => {
      if (request.url !== '/token')
        return request.headers.authorization === 'Bearer token-2'
          ? json(request, response, message)
          : status(401)(request, response, message)
      issued += 1
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ access_token: `token-${issued}`, token_type: 'bearer' }))
    }
    return withToken(answer)
  })
  const withToken = async (answer: Answer) => {
    const tokens = createServer((request, response) =>
      answer({ method: 'POST', url: '/token', headers: request.headers, body: '' }, response, request),
    )
    tokens.listen(0, '127.0.0.1')
    await once(tokens, 'listening')
    const token_url = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`
    const oauth = { token_url, client_id: 'c', client_secret: 'env:SECRET' }
    await beside(answer, { auth: { oauth } }, async ({ call, seen }) => {
      expect(await call('things', 'getThing', { id: '1' })).toMatchObject({
        is: 'answered',
        result: { structuredContent: { ok: true } },
      })
      expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
    })
    tokens.close()
    tokens.closeAllConnections()
  }

  test('reports errors in its own words: status and body are the tool`s error', () =>
    beside(
      status(404, '{"detail":"no such thing"}', { 'content-type': 'application/problem+json' }),
      {},
      async ({ call }) =>
        expect(await call('things', 'dropThing', { id: '1' })).toEqual({
          is: 'answered',
          result: {
            content: [{ type: 'text', text: 'HTTP 404 Not Found\n{"detail":"no such thing"}' }],
            isError: true,
            _meta: { 'sluice/http-status': 404 },
          },
        }),
    ))

  test('is not followed to another URL', () =>
    beside(status(307, '', { location: 'http://127.0.0.1:1/' }), {}, async ({ text, seen }) => {
      expect(await text('things', 'addThing', { body: {} })).toBe(
        'HTTP 307 Temporary Redirect\nIt redirects to another address, which is not followed.',
      )
      expect(seen).toHaveLength(1)
    }))

  test('that a proxy could not reach leaves a write unknown and a read failed', () =>
    beside(status(504), {}, async ({ call }) => {
      expect(await call('things', 'addThing', { body: {} })).toMatchObject({
        is: 'lost',
        problem: { code: 'tool.broke_off' },
      })
      expect(await call('things', 'getThing', { id: '1' })).toMatchObject({ is: 'answered', result: { isError: true } })
    }))

  test('answers without a body, with a picture, or with bytes', async () => {
    await beside(status(201, '', { location: '/v1/things/7' }), {}, async ({ text }) =>
      expect(await text('things', 'addThing', { body: {} })).toMatch(/^HTTP 201 Created\nlocation: \/v1\/things\/7/),
    )
    await beside(status(200, 'PNG', { 'content-type': 'image/png' }), {}, async ({ call }) =>
      expect(await call('things', 'getThing', { id: '1' })).toMatchObject({
        result: { content: [{ type: 'image', data: 'UE5H', mimeType: 'image/png' }] },
      }),
    )
  })

  const lost: [string, Answer, object, object][] = [
    [
      'breaks off',
      (_, response) => void response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy()),
      {},
      { code: 'tool.broke_off' },
    ],
    ['says too much', status(200, 'x'.repeat(200_000)), {}, { code: 'tool.too_large' }],
    ['is silent', () => undefined, { timeout_ms: 300 }, { code: 'tool.timeout', about: { why: 'timeout' } }],
    ['is compressed', status(200, 'x', { 'content-encoding': 'gzip' }), {}, { code: 'tool.garbled' }],
  ]
  test.each(lost)('that %s leaves the call lost', (_, answer, settings, problem) =>
    beside(answer, settings, async ({ call }) =>
      expect(await call('things', 'addThing', { body: {} })).toMatchObject({ is: 'lost', problem }),
    ),
  )

  test('that is down was certainly not asked, and neither was one whose arguments lead elsewhere', () =>
    beside(json, { base_url: 'http://127.0.0.1:1' }, async ({ call }) => {
      expect(await call('things', 'getThing', { id: '1' })).toMatchObject({
        is: 'not_sent',
        problem: { about: { why: 'ECONNREFUSED' } },
      })
      expect(await call('things', 'getThing', { id: '../admin' })).toMatchObject({
        is: 'not_sent',
        problem: { code: 'call.args_invalid' },
      })
    }))

  test('is offered in part, as configured', () =>
    beside(json, { only: ['*Thing'], except: ['drop*'] }, async ({ servers, listings }) => {
      await servers.ready('things')
      expect(listings[0]?.definitions.map(({ name }) => name)).toEqual(['getThing', 'addThing'])
    }))

  const files: [string, string][] = [
    ['swagger: "2.0"', 'it is a Swagger 2.0 file'],
    ['openapi: 3.2.0', 'it does not say `openapi: 3.0.x`'],
    ['openapi: [', 'the file is not YAML'],
    ['{', 'the file is not JSON'],
    ['a: &a [*a]', 'the file contains a reference to itself'],
  ]
  test.each(files)('is unavailable with the file %s', (file, says) =>
    beside(
      json,
      {},
      async ({ servers }) => {
        const ready = await servers.ready('things')
        expect(ready.ok ? 'ready' : ready.problem.about['why']).toContain(says)
      },
      file,
    ),
  )

  test('needs a URL in the configuration if it gets a credential', () => {
    const read = readConfig({ servers: { s: { openapi: 'x.yaml', auth: { bearer: 'env:X' } } } })
    expect(read.ok ? 'no fault' : read.problem.about['paths']).toBe(
      'servers.s: credentials are only sent to an address in this file: add `base_url`',
    )
  })
})
