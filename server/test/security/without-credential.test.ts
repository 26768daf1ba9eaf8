import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCESS } from '../../../scripts/app-without-gate.ts'
import { ledgerFile } from '../../src/adapters/stores/sqlite/ledger-file.ts'
import { MCP_PATHS } from '../../src/adapters/mcp/serve-http.ts'
import { configure, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { localIssuer, type LocalIssuer } from './local-issuer.ts'

/**
 * What somebody without a credential can cause. Every route that they can reach has to be here, with requests that would cost the most:
 * the whole flood may leave a few rows behind (that somebody tried), and the issuers are asked a few times, whatever is sent.
 */
const FLOOD = 100
const MOST_ROWS = 45
const MOST_ASKED = 3

const browser = () => randomBytes(32).toString('base64url')
const hex = () => randomBytes(16).toString('hex')
const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const cookie = () => ({ headers: { cookie: `sluice_login_${new URL(gate.url).port}=${browser()}` } })
const signature = () => ({
  body: JSON.stringify({ text: hex() }),
  headers: {
    'webhook-id': hex(),
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${browser()}`,
    'x-hub-signature-256': `sha256=${hex()}${hex()}`,
    'idempotency-key': hex(),
  },
})
/** Signed by nobody, with another key in each. */
const token = () =>
  [{ alg: 'ES256', kid: hex() }, { iss: issuer.url, aud: 'sluice', exp: 9_999_999_999, sub: hex() }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })

type Sent = { readonly path?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
const plain = (): Sent => ({})

const TABLE: Readonly<Record<string, readonly (() => Sent | Promise<Sent>)[]>> = {
  'GET /': [cookie],
  'GET /.well-known/oauth-protected-resource': [plain],
  'GET /.well-known/oauth-protected-resource/mcp': [plain],
  'GET /assets/{file}': [() => ({ path: `/assets/${hex()}.js` })],
  'GET /healthz': [plain],
  'GET /icon.svg': [plain],
  'GET /manifest.webmanifest': [plain],
  'GET /oauth/callback': [() => ({ path: `/oauth/callback?state=${browser()}&code=x` })],
  'GET /oauth/login/{ticket}': [() => ({ path: `/oauth/login/${browser()}` })],
  'GET /openapi.json': [plain],
  'GET /push-worker.js': [plain],
  'GET /readyz': [plain],
  'GET /v1/login/here': [cookie, () => bearer(token())],
  'GET /v1/login/methods': [plain],
  'GET /v1/login/oidc/callback': [() => ({ path: `/v1/login/oidc/callback?state=${browser()}&code=x` })],
  'POST /oauth/callback': [() => json({ secrets: [browser()], state: browser(), code: hex() })],
  'POST /oauth/login/{ticket}/continue': [() => ({ path: `/oauth/login/${browser()}/continue`, ...json({}) })],
  'POST /v1/channels/{name}/callback': [
    () => ({ path: '/v1/channels/pager/callback', ...signature() }),
    () => ({ path: `/v1/channels/${hex()}/callback`, ...signature() }),
  ],
  'POST /v1/events/{source}': [
    () => ({ path: '/v1/events/open', ...signature() }),
    () => ({ path: '/v1/events/clerk:signed', ...signature() }),
    () => ({ path: `/v1/events/${hex()}`, ...signature() }),
  ],
  'POST /v1/login': [() => json({ key: `sluice_admin_${browser()}` }), () => json({ key: token() })],
  'POST /v1/login/oidc': [
    () => json({ issuer: 'corp', browser: browser() }),
    () => json({ issuer: hex(), browser: browser() }),
  ],
  'POST /v1/login/oidc/callback': [
    () => json({ browser: browser(), state: `corp.${browser()}`, code: hex() }),
    // Begun at the gate, but with a code that the issuer does not know.
    async () => {
      const own = browser()
      const begun = await fetch(`${gate.url}/v1/login/oidc`, {
        method: 'POST',
        ...json({ issuer: 'corp', browser: own }),
      })
      const { url } = (await begun.json()) as { readonly url: string }
      return json({ browser: own, state: new URL(url).searchParams.get('state'), code: hex() })
    },
  ],
  'POST /v1/transports/{name}/messages': [
    () => ({ path: '/v1/transports/board/messages', ...signature() }),
    () => ({ path: `/v1/transports/${hex()}/messages`, ...signature() }),
  ],
}

/** One of the routes that need a credential, with one that is wrong: they all ask the same function first. */
const WRONG: readonly [string, () => Sent][] = [
  ['GET /v1/calls', () => bearer(`sluice_agent_${browser()}`)],
  ['GET /v1/calls', () => bearer(token())],
  ['GET /v1/calls', cookie],
  ['POST /v1/calls', () => ({ ...json({ tool: 'x', args: {} }), ...bearer(token()) })],
  ['POST /mcp', () => ({ ...json({ jsonrpc: '2.0', id: 1, method: 'initialize' }), ...bearer(token()) })],
  ['POST /v1/hub/requests', () => ({ ...json({}), ...bearer(`sluice_node_${browser()}`) })],
  ['POST /v1/push', () => ({ ...json({}), ...cookie() })],
  ['POST /v1/passkeys/options', cookie],
]

const DOCUMENT = `apiVersion: gosuto/v1
metadata: { name: clerk }
trust: { allowedRooms: ["!office:test"], allowedSenders: ["*"] }
capabilities: [{ name: book, mcp: book, tool: "*", allow: true }]
gateways:
  - { name: open, type: webhook, config: { auth: bearer, secret: bearer } }
  - { name: signed, type: webhook, config: { secret: bearer, event: order.made } }
secrets: [{ name: bearer, envVar: HOOK_BEARER }]
workflow:
  protocols:
    - id: order.v1
      trigger: { type: gateway.event, prefix: order.made }
      steps: [{ type: tool, tool: book__note, argsTemplate: { text: event } }]
`

let issuer: LocalIssuer
let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  process.env['HOOK_BEARER'] = 'the bearer of the tests'
  process.env['BOARD'] = 'what the board signs with'
  process.env['OUT'] = 'what the gate signs with'
  issuer = await localIssuer()
  issuer.instead.set('/.well-known/openid-configuration', (response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        issuer: issuer.url,
        jwks_uri: `${issuer.url}/jwks`,
        authorization_endpoint: `${issuer.url}/auth`,
        token_endpoint: `${issuer.url}/token`,
      }),
    ),
  )
  issuer.instead.set('/token', (response) => response.writeHead(400).end())
  gate = await startGate((folder) => {
    const pager = { url: 'http://127.0.0.1:9/pager', secret: 'env:OUT' }
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = {
      ...(JSON.parse(readFileSync(file, 'utf8')) as object),
      channels: { webhooks: [{ name: 'pager', ...pager, callback: { secret: 'env:BOARD', approver: 'pager' } }] },
      transports: [{ name: 'board', ...pager, incoming: { secret: 'env:BOARD' } }],
      auth: {
        oidc: [
          {
            name: 'corp',
            issuer: issuer.url,
            audience: 'sluice',
            people_clients: [],
            kinds: [{ claim: 'role', has: 'lead', kind: 'approver' }],
            login: { client_id: 'console' },
          },
        ],
      },
    }
    writeFileSync(file, JSON.stringify(config))
    writeFileSync(join(folder, 'clerk.yaml'), DOCUMENT)
  })
  const applied = await gate.cli('workflow', 'apply', 'clerk.yaml')
  expect(applied.code, applied.err).toBe(0)
})
afterAll(async () => {
  await gate.stop()
  await issuer.close()
})

test('every route that is open to anyone is in the table', () => {
  const open = [...ACCESS].filter(([, access]) => access === 'anyone').map(([name]) => name)
  expect(Object.keys(TABLE)).toEqual(open.toSorted())
  expect(MCP_PATHS.filter((path) => path !== '/mcp' && !(`GET ${path}` in TABLE))).toEqual([])
})

/** How many rows all tables of the store have, and what each issuer was asked. */
function costs() {
  const store = new DatabaseSync(ledgerFile(join(gate.folder, '.sluice')), { readOnly: true })
  const tables = store
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all()
  const rows = tables.map(({ name }) =>
    Number(store.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get()?.['n']),
  )
  store.close()
  const asked = (path: string) => issuer.asked.get(path) ?? 0
  return {
    rows: rows.reduce((sum, one) => sum + one, 0),
    asked: asked('/jwks') + asked('/.well-known/openid-configuration'),
    codes: asked('/token'),
  }
}

async function flood(name: string, make: () => Sent | Promise<Sent>): Promise<ReadonlySet<number>> {
  const [method = '', path = ''] = name.split(' ')
  const statuses = new Set<number>()
  const one = async () => {
    const sent = await make()
    const answer = await fetch(`${gate.url}${sent.path ?? path}`, { method, ...sent })
    await answer.text()
    statuses.add(answer.status)
  }
  for (let done = 0; done < FLOOD; done += 20) await Promise.all(Array.from({ length: 20 }, one))
  return statuses
}

const CASES = [
  ...Object.entries(TABLE).flatMap(([name, makes]) => makes.map((make) => [name, make] as const)),
  ...WRONG,
]

describe('a flood of requests without a credential', () => {
  test.each(CASES.map(([name, make], nth) => [nth, name, make] as const))(
    '%s: %s stores little and asks an issuer little',
    async (_, name, make) => {
      const before = costs()
      const statuses = await flood(name, make)
      const after = costs()
      expect([...statuses].filter((status) => status >= 500)).toEqual([])
      expect(after.rows - before.rows).toBeLessThan(MOST_ROWS)
      expect(after.asked - before.asked).toBeLessThanOrEqual(MOST_ASKED)
      // An issuer is asked about a code only if the gate began the login.
      const hasBegun = name === 'POST /v1/login/oidc/callback' && after.codes > before.codes
      expect(hasBegun || after.codes === before.codes).toBe(true)
    },
  )
})

test('after all of that, a person logs in and a caller is known', async () => {
  const admin = await gate.key('admin', 'root')
  expect(await gate.http('GET', '/v1/calls', admin)).toMatchObject({ status: 200 })
  expect(await gate.http('POST', '/v1/login', undefined, { key: admin })).toMatchObject({ status: 200 })
})
