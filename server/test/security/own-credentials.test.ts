import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newApiKey } from '../../src/adapters/keys/api-keys.ts'
import { ADMIN, AGENT, openTestGate, type GateRig } from '../helpers/with-gate.ts'

const SECRET = 'tracker-Password-0123456789'
const DATABASE_PASSWORD = 'p4ssw0rd-of-the-Database'
/** Only the password is the same as in the configuration. */
const DATABASE = `host=db.internal user=gate password=${DATABASE_PASSWORD}`
const PUSH_KEY = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg'
const ADMIN_KEY = newApiKey('admin')
const folder = mkdtempSync(join(tmpdir(), 'sluice-own-'))
let rig: GateRig
let signing = ''

/** Programs that read what they should not. The gate cannot stop them, but it passes none of it on. */
beforeAll(async () => {
  writeFileSync(join(folder, 'admin-key'), `${ADMIN_KEY}\n`)
  writeFileSync(join(folder, 'secret'), `${SECRET}\n`)
  writeFileSync(join(folder, 'database'), `postgres://gate:${DATABASE_PASSWORD}@db.internal/gate\n`)
  mkdirSync(join(folder, 'data/keys'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'data/keys/web-push-key.json'), JSON.stringify({ public_key: 'x', private_key: PUSH_KEY }))
  const keys = join(folder, 'data/keys/token-keys.json')
  const read = (program: string, ...args: string[]) => ({
    description: program,
    effects: ['read'],
    run: [program, ...args],
  })
  const leaky = {
    env: { PASSWORD: 'file:./secret', DATABASE_URL: 'file:./database' },
    commands: {
      plain: read('cat', join(folder, 'admin-key')),
      base64: read('base64', '-w', '10', join(folder, 'admin-key')),
      hex: read('od', '-An', '-tx1', join(folder, 'admin-key')),
      signing: read('cat', keys),
      secret: read('cat', join(folder, 'secret')),
      fails: { ...read('cat', join(folder, 'admin-key'), '/nowhere'), exit_ok: [0] },
      json: { ...read('printf', `{{"a":{{"${ADMIN_KEY}":["${SECRET}"]}}}}`), output: 'json' },
      url: read('echo', DATABASE),
      push: read('cat', join(folder, 'data/keys/web-push-key.json')),
      say: { description: 'say', effects: ['read'], run: ['echo', '{text}'], params: { text: { type: 'string' } } },
    },
  }
  rig = await openTestGate(folder, { config: { servers: { leaky }, dlp: { outputs: 'off' } } })
  signing = (JSON.parse(readFileSync(keys, 'utf8')) as { active: string }).active
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the gate`s own credentials', () => {
  test.each(['plain', 'base64', 'hex', 'signing', 'secret', 'fails', 'json', 'url', 'push'])(
    'are in no answer of a tool, even if other redaction is off: %s',
    async (tool) => {
      const outcome = JSON.stringify(await rig.call(`leaky__${tool}`))
      const stored = JSON.stringify((await rig.gate.audit.page(undefined, 1, 500)).map(({ about }) => about))
      for (const text of [outcome, stored]) {
        for (const secret of [ADMIN_KEY, SECRET, signing, DATABASE_PASSWORD, PUSH_KEY])
          expect(text).not.toContain(secret)
        expect(text.replace(/\\n|\s/g, '')).not.toContain(Buffer.from(ADMIN_KEY).toString('base64').slice(8, 60))
        expect(text.replace(/\\n|\s/g, '')).not.toContain(Buffer.from(ADMIN_KEY).toString('hex').slice(8, 100))
      }
      expect(outcome).toMatch(/\[REDACTED_SLUICE_CREDENTIAL\]|\[secret\]/)
    },
  )

  test('block every call that contains one, for any tool, and are not stored with it', async () => {
    const made = await rig.gate.identity.createCredential(ADMIN, { kind: 'agent', name: 'other' })
    const key = made.ok ? made.value.key : ''
    const texts = [
      key,
      ADMIN_KEY,
      SECRET,
      signing,
      `Bearer ${key}`,
      Buffer.from(key).toString('base64'),
      Buffer.from(key).toString('hex'),
      encodeURIComponent(key).replaceAll('_', '%5F'),
      key.replace(/.{7}/g, '$& \n'),
      `v1.1794765190.${'0a'.repeat(8)}.${'1b'.repeat(32)}`,
    ]
    for (const text of texts) {
      const outcome = await rig.call('leaky__say', { text })
      expect([text, outcome]).toMatchObject([
        text,
        {
          status: 'refused',
          problem: {
            code: 'call.blocked',
            about: { rules: expect.stringContaining('content.own_credential') as string },
          },
        },
      ])
      const call_id = 'call_id' in outcome ? outcome.call_id : ''
      expect(JSON.stringify(await rig.gate.calls.read(ADMIN, call_id, 0))).not.toContain(text.slice(0, 30))
    }
    expect(await rig.call('leaky__say', { text: 'sluice_agent_ and v1.2.3 are fine' })).toMatchObject({
      status: 'executed',
    })
  })

  test('leave a critical finding, and are blocked even in observe mode', async () => {
    const entries = await rig.gate.audit.page(undefined, 1, 500)
    const found = entries.filter(({ type }) => type === 'gate.touched')
    expect(found[0]?.about).toEqual({ severity: 'critical', rules: 'content.own_credential' })
    const observing = mkdtempSync(join(tmpdir(), 'sluice-own-'))
    const watched = await openTestGate(observing, { policy: 'preset: observe' })
    expect(await watched.call('book__note', { title: ADMIN_KEY })).toMatchObject({ status: 'refused' })
    expect(await watched.call('book__echo', { path: join(observing, 'data/admin.key') })).toMatchObject({
      status: 'refused',
    })
    await watched.opened.close()
    rmSync(observing, { recursive: true, force: true })
  })
})

test('resources, prompts and completions cannot reach the gate`s files either', async () => {
  const other = mkdtempSync(join(tmpdir(), 'sluice-own-'))
  const offering = { command: 'node', args: [resolve(import.meta.dirname, '../tool-servers/offering.ts')] }
  const asking = await openTestGate(other, { config: { servers: { offering } } })
  const key = join(other, 'data/admin.key')
  const ref = { type: 'ref/resource', uri: 'file:///{path}' }
  const requests = [
    { method: 'resources/read', params: { uri: `file://${key}` } },
    { method: 'resources/read', params: { uri: `file://localhost${key.replace('data', '%64ata')}` } },
    { method: 'completion/complete', params: { ref, argument: { name: 'path', value: key } } },
    { method: 'resources/read', params: { uri: `note://x?key=${ADMIN_KEY}` } },
  ] as const
  for (const request of requests) {
    const answer = await asking.gate.proxy.ask(AGENT, request)
    expect([request.params, answer]).toMatchObject([
      request.params,
      { is: 'refused', problem: { code: 'call.blocked' } },
    ])
  }
  await asking.opened.close()
  rmSync(other, { recursive: true, force: true })
})

test('code that names the data folder is asked about, even under a policy that would allow it', async () => {
  const other = mkdtempSync(join(tmpdir(), 'sluice-own-'))
  const python = {
    commands: { run: { description: 'run', run: ['echo', '{code}'], params: { code: { type: 'string' } } } },
  }
  const policy = 'rules: [{ id: all, effect: allow, match: { tool: "*" }, says: all }]'
  const open = await openTestGate(other, { policy, config: { servers: { python } } })
  const code = `print(open("${other}/data/admin.key").read())`
  expect(await open.call('python__run', { code })).toMatchObject({ status: 'pending' })
  expect(await open.call('python__run', { code: 'print(open("notes/a.txt").read())' })).toMatchObject({
    status: 'executed',
  })
  await open.opened.close()
  rmSync(other, { recursive: true, force: true })
})
