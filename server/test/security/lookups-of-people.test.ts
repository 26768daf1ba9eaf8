import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCESS } from '../../../scripts/app-without-gate.ts'
import { configure, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { sendRaw } from '../helpers/send-raw.ts'
import { isGoneRoute } from '../this-build.ts'

/**
 * What was made in one person's name, looked up by others. Every route that people may use and agents may not is either in this table, or
 * in a list with the reason why it finds nothing by whose it is. Routes for agents have their own table (lookups.test.ts).
 */
const OTHERS = ['limited', 'other person', 'revoked'] as const
type Actor = 'agent' | 'equal' | 'not asked' | 'member' | (typeof OTHERS)[number]

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
const keys = new Map<Actor, string>()
const of = (actor: Actor): string => keys.get(actor) ?? ''

beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    const routes = [{ id: 'slow', match: { tool: 'book__slow_note' }, group: 'editors' }]
    const approvals = { groups: { editors: ['ada'] }, routes }
    writeFileSync(file, JSON.stringify({ ...config, approvals }))
  })
  admin = await gate.key('admin', 'root', 'root')
  const create = async (kind: string, name: string, user: string, grant: object = {}) =>
    (await gate.http('POST', '/v1/keys', admin, { kind, name, user, ...grant })).body
  const key = async (...asked: Parameters<typeof create>) => String((await create(...asked))['key'])
  keys.set('agent', await key('agent', 'claude', 'ana'))
  keys.set('equal', await key('user', 'ana', 'ana'))
  keys.set('limited', await key('user', 'ana', 'ana', { tools: ['book__echo'] }))
  keys.set('other person', await key('user', 'ana', 'bob'))
  keys.set('member', await key('approver', 'ada', 'ada'))
  keys.set('not asked', await key('approver', 'zoe', 'zoe'))
  const gone = await create('user', 'ana', 'ana')
  keys.set('revoked', String(gone['key']))
  await gate.http('DELETE', `/v1/keys/${String(gone['key_id'])}`, admin)
})
afterAll(() => gate.stop())

const get = async (key: string, path: string) => (await sendRaw(gate, key, { method: 'GET', path })).text
const post = async (key: string, path: string, body: object = {}) => (await sendRaw(gate, key, { path, body })).text
const fieldsOf = (text: string) => JSON.parse(text) as Record<string, string>
const held = async (tool = 'book__note') =>
  fieldsOf(await post(of('agent'), '/v1/calls', { tool, args: { text: crypto.randomUUID() }, thread: 'of ana' }))

type Lookup = { readonly finds: RegExp; readonly look: (key: string) => Promise<string> }
const LOOKUPS: Readonly<Record<string, Lookup>> = {
  'GET /v1/approvals': { finds: /auth_/, look: async (key) => (await held(), get(key, '/v1/approvals')) },
  'GET /v1/approvals/{approval_id}': {
    finds: /"skill_id":"book__note"/,
    look: async (key) => get(key, `/v1/approvals/${(await held())['approval_id']}`),
  },
  'POST /v1/approvals/{approval_id}/token': {
    finds: /"token":"v1/,
    look: async (key) => post(key, `/v1/approvals/${(await held())['approval_id']}/token`),
  },
  'POST /v1/approvals/{approval_id}/redeem': {
    finds: /"state":"approved"|"call_id"/,
    look: async (key) => {
      const { approval_id } = await held()
      const { token } = fieldsOf(await post(of('equal'), `/v1/approvals/${approval_id}/token`))
      return post(key, `/v1/approvals/${approval_id}/redeem`, { token, thread: 'of ana' })
    },
  },
  'GET /v1/attention': {
    finds: /"pending":[1-9]/,
    look: async (key) => (await held(), get(key, '/v1/attention')),
  },
  'GET /v1/calls': { finds: /call_/, look: async (key) => (await held(), get(key, '/v1/calls')) },
  'GET /v1/calls/{call_id}/life': {
    finds: /book__note/,
    look: async (key) => get(key, `/v1/calls/${(await held())['call_id']}/life`),
  },
  'GET /v1/calls/{call_id}/why': {
    finds: /book__note/,
    look: async (key) => get(key, `/v1/calls/${(await held())['call_id']}/why`),
  },
  'GET /v1/overview': {
    finds: /"held":[1-9]|"asked":[1-9]/,
    look: async (key) => (await held(), get(key, '/v1/overview')),
  },
  'GET /v1/consents': {
    finds: /consent_/,
    look: async (key) => {
      const what = { tool: 'book__note', args: [{ path: '/text', op: 'equals', value: crypto.randomUUID() }] }
      await post(of('member'), '/v1/consents', { actor: 'user:ana', what, calls: 1, expires_in_s: 60 })
      return get(key, '/v1/consents')
    },
  },
}

/** Routes that are open to people who oversee nothing, and find nothing by whose it is. */
const NOT_BY_PERSON: Readonly<Record<string, string>> = {
  'GET /v1/features': 'the same for everybody',
  'GET /v1/policies': 'the same for everybody',
  'GET /v1/packs': 'the same for everybody',
  'GET /v1/servers': 'the same for everybody',
  'GET /v1/login': 'the login that was sent',
  'DELETE /v1/login': 'the login that was sent',
  'DELETE /v1/logins': "the caller's own, by their name and user",
  'GET /v1/servers/{server}/login': "the caller's own, by their user",
  'POST /v1/servers/{server}/login': "the caller's own, by their user",
  'POST /v1/servers/{server}/login/finish': "the caller's own, by their user",
  'DELETE /v1/servers/{server}/login': "the caller's own, by their user",
  'POST /api/v1/flows/import': 'by scope and vault',
  'POST /v1/proposals/{proposal_id}/decide': 'by scope and vault',
}

const routes = () =>
  [...ACCESS].flatMap(([name, access]) => (access === 'anyone' ? [] : [{ name, access: new Set<string>(access) }]))

test('every route for people who oversee nothing is in this table, or in the list of those that look nothing up', () => {
  const usable = routes().filter(({ access }) => access.has('user') && !access.has('agent'))
  const names = usable.map(({ name }) => name)
  expect(names.filter((name) => LOOKUPS[name] === undefined && NOT_BY_PERSON[name] === undefined)).toEqual([])
  const listed = Object.keys({ ...LOOKUPS, ...NOT_BY_PERSON }).filter((name) => !isGoneRoute(name))
  expect(listed.filter((name) => !names.includes(name))).toEqual([])
})

describe.each(Object.entries(LOOKUPS).filter(([route]) => !isGoneRoute(route)))('%s', (_, { finds, look }) => {
  test('finds what was made in the name of the person', async () => {
    expect(await look(of('equal'))).toMatch(finds)
  })
  test.each(OTHERS)('of the %s key', async (actor) => {
    expect(await look(of(actor))).not.toMatch(finds)
  })
})

test('no route finds a request for an approver who is not asked about it', async () => {
  const { approval_id = '' } = await held('book__slow_note')
  const digest = 'a'.repeat(64)
  const bodies: Readonly<Record<string, object>> = {
    decide: { decision: 'approve', digest },
    'edit-preview': { args: { text: 'x' } },
    'consent-preview': { remember: { calls: 1, expires_in_s: 60 } },
    passkey: { digest },
    redeem: { token: 'v1.1.0.0', thread: 't' },
  }
  const about = routes().filter(({ name, access }) => name.includes('{approval_id}') && access.has('approver'))
  expect(about.length).toBeGreaterThan(5)
  for (const { name } of about) {
    const [method = '', path = ''] = name.split(' ')
    const body = bodies[path.split('/').at(-1) ?? ''] ?? {}
    const ask = async (id: string) => {
      const asked = { method, path: path.replace('{approval_id}', id), ...(method === 'GET' ? {} : { body }) }
      const { status, body: answer } = await sendRaw(gate, of('not asked'), asked)
      return { name, status, code: answer['code'] }
    }
    const missing = await ask('auth_0000000000000000')
    expect(missing.code).toMatch(/^(approval\.unknown|passkey\.none)$/)
    expect(await ask(approval_id)).toEqual(missing)
  }
  expect(await get(of('not asked'), '/v1/approvals')).not.toContain(approval_id)
  expect(await get(of('member'), '/v1/approvals')).toContain(approval_id)
})

test('no second spelling of a person gets a key, while a key with the first one is valid', async () => {
  const other = (user: string) => gate.http('POST', '/v1/keys', admin, { kind: 'approver', name: 'someone', user })
  for (const user of ['Ada', 'ADA', '\uff41da', 'ad\u034fa'])
    expect(await other(user)).toMatchObject({
      status: 409,
      body: { code: 'key.other_spelling', about: { user: 'ada' } },
    })
  expect((await gate.cli('keys', 'create', 'approver', 'someone', '--user', 'Ada')).err).toContain('key.other_spelling')
  expect(await other('adam')).toMatchObject({ status: 201 })
})
