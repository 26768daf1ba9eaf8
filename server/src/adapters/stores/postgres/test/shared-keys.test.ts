import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { GUESTS } from '../../../../main/guests.ts'
import { connect } from '../connect.ts'
import { run } from '../../../../../test/helpers/with-running-gate.ts'
import { typedFor } from '../../../../../test/helpers/with-gate.ts'
import { softwarePasskey } from '../../../../../test/security/software-passkey.ts'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }
const keyFile = (node: Node, name: string) => readFileSync(join(node.folder, '.sluice', 'keys', name), 'utf8')
const FILES = [
  'token-keys.json',
  'checkpoint-keys.json',
  'seal-key.json',
  ...GUESTS.flatMap(({ sharedKeyFile }) => sharedKeyFile?.name ?? []),
]
const keysOf = (node: Node) => FILES.map((name) => keyFile(node, name))

describe.skipIf(!hasPostgres)('nodes with one secret', () => {
  let nodes: Nodes
  let one: Node
  let other: Node
  beforeAll(async () => {
    nodes = await openNodes({}, undefined, undefined, 'shared')
    // At the same time: only one of them creates the keys.
    ;[one, other] = await Promise.all([nodes.start(), nodes.start()])
  }, 120_000)
  afterAll(() => nodes?.stop())

  const query = async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
    const client = await connect({ url: nodes.postgres, schema: nodes.schema }, 'test')
    try {
      return (await client.query<Row & Record<string, unknown>>(sql, [...values])).rows
    } finally {
      await client.end()
    }
  }
  /** A third node, whose start fails. */
  const failingStart = async (secret: string, prepare: (keys: string) => void = () => {}) => {
    const place = join(one.folder, `third-${readdirSync(one.folder).length}`)
    mkdirSync(join(place, '.sluice', 'keys'), { recursive: true, mode: 0o700 })
    prepare(join(place, '.sluice', 'keys'))
    const config = JSON.parse(readFileSync(join(one.folder, 'sluice.yaml'), 'utf8')) as { store: object }
    const store = { ...config.store, key_secret: 'env:WRONG_OR_RIGHT' }
    writeFileSync(join(place, 'sluice.yaml'), JSON.stringify({ ...config, store }))
    return run(place, ['up', '--trust'], undefined, { env: { WRONG_OR_RIGHT: secret } })
  }
  const secret = () => readFileSync(nodes.secret, 'utf8')

  test('start together with empty folders and have the same keys, which nobody can read in the database', async () => {
    expect(keysOf(one)).toEqual(keysOf(other))
    const text = await nodes.dump()
    for (const found of keysOf(one)
      .join('')
      .match(/[0-9a-f]{64}/g) ?? [])
      expect(text).not.toContain(found)
  })

  test('use what one of them rotates: the other verifies its checkpoints, and neither was restarted', async () => {
    const agent = await one.key('agent', 'a', 'ana')
    const before = keysOf(other)
    for (const key of ['token', 'checkpoint']) expect(await one.cli('keys', 'rotate', key)).toMatchObject({ code: 0 })
    await vi.waitFor(() => expect(keysOf(other)).toEqual(keysOf(one)), PATIENCE)
    expect(keysOf(other)).not.toEqual(before)
    expect((await one.http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} })).status).toBe(200)
    expect(await one.cli('audit', 'checkpoint')).toMatchObject({ code: 0 })
    for (const node of [one, other]) {
      const { out } = await node.cli('--json', 'audit', 'verify')
      expect(JSON.parse(out), out).toMatchObject({ ok: true })
    }
  }, 120_000)

  test('take each other`s passkey challenges, once, also across a rotation', async () => {
    const key = await one.key('approver', 'mara')
    const agent = await one.key('agent', 'bot', 'jonas')
    // Both are reached at one address, as behind a balancer.
    const site = { origin: 'http://localhost:7420', host: 'localhost' }
    const send = async (node: Node, method: string, path: string, as: string, body?: object) => {
      const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', host: 'localhost:7420' }
      const sent = request(`${node.url}${path}`, { method, headers }).end(body && JSON.stringify(body))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: answer.statusCode, body: JSON.parse(await text(answer)) as Record<string, unknown> }
    }
    const passkey = softwarePasskey(site)
    const asked = await send(one, 'POST', '/v1/passkeys/options', key)
    const response = passkey.register(String(asked.body['challenge']))
    const added = await send(other, 'POST', '/v1/passkeys', key, { name: 'phone', response })
    expect(added).toMatchObject({ status: 200 })

    const secret = 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'
    const requests = await Promise.all(
      ['one', 'two'].map(async (words) => {
        const held = await send(one, 'POST', '/v1/calls', agent, { tool: 'book__note', args: { text: words + secret } })
        const path = `/v1/approvals/${String(held.body['approval_id'])}`
        const packet = (await send(one, 'GET', path, key)).body
        const { digest, strength } = packet
        expect(strength).not.toBe('simple')
        const { challenge } = (await send(one, 'POST', `${path}/passkey`, key, { digest })).body
        return {
          path,
          challenge: String(challenge),
          decision: { decision: 'approve', digest, typed: typedFor(packet as Parameters<typeof typedFor>[0]) },
        }
      }),
    )
    const [first, second] = requests
    if (first === undefined || second === undefined) throw new Error('a request is missing')
    const assertion = passkey.assert(first.challenge)
    const answers = await Promise.all(
      [one, other, one, other].map((node) =>
        send(node, 'POST', `${first.path}/decide`, key, { ...first.decision, passkey: assertion }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    // One more passkey, with one proof, at both nodes at the same time.
    const proof = passkey.assert(String((await send(one, 'POST', '/v1/passkeys/proof', key)).body['challenge']))
    const more = await Promise.all(
      [one, other, one, other].map(async (node) => {
        const { challenge } = (await send(other, 'POST', '/v1/passkeys/options', key)).body
        const made = softwarePasskey(site).register(String(challenge))
        return send(node, 'POST', '/v1/passkeys', key, { name: 'tablet', response: made, passkey: proof })
      }),
    )
    expect(more.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await one.cli('keys', 'rotate', 'token')).toMatchObject({ code: 0 })
    await vi.waitFor(() => expect(keysOf(other)).toEqual(keysOf(one)), PATIENCE)
    const decided = await send(other, 'POST', `${second.path}/decide`, key, {
      ...second.decision,
      passkey: passkey.assert(second.challenge),
    })
    expect(decided).toMatchObject({ status: 200, body: { state: 'approved' } })
  }, 120_000)

  test('rotate at the same time without losing a rotation', async () => {
    const [before] = await query<{ version: number }>('SELECT version FROM keyring')
    const rotations = [one, other, one, other].map((node) => node.cli('keys', 'rotate', 'checkpoint'))
    for (const { code, err } of await Promise.all(rotations)) expect({ code, err }).toMatchObject({ code: 0 })
    const [after] = await query<{ version: number }>('SELECT version FROM keyring')
    expect(after?.version).toBe((before?.version ?? 0) + 4)
    await vi.waitFor(() => expect(keysOf(other)).toEqual(keysOf(one)), PATIENCE)
    const { retired } = JSON.parse(keyFile(one, 'checkpoint-keys.json')) as { retired: readonly unknown[] }
    expect(retired.length).toBeGreaterThanOrEqual(4)
  }, 120_000)

  test.skipIf(!isWhole)(
    'a node with another secret, or with keys of another gate, does not start and changes nothing',
    async () => {
      const stored = await query('SELECT * FROM keyring')
      const wrong = await failingStart(randomBytes(32).toString('hex'))
      expect(wrong.code).not.toBe(0)
      expect(wrong.err).toContain('key.secret_wrong')
      const short = await failingStart('short')
      expect(short.err).toContain('key.secret_wrong')
      const foreign = { v: 1, secret: randomBytes(32).toString('hex'), sealed: true }
      const differs = await failingStart(secret(), (keys) =>
        writeFileSync(join(keys, 'row-key.json'), JSON.stringify(foreign), { mode: 0o600 }),
      )
      expect(differs.err).toContain('key.differs')
      expect(await query('SELECT * FROM keyring')).toEqual(stored)
    },
    120_000,
  )

  test.skipIf(!isWhole)(
    'a node that has used newer keys refuses older ones',
    async () => {
      const seen = (version: number) => (keys: string) =>
        writeFileSync(join(keys, 'keyring-seen.json'), JSON.stringify({ v: 1, version }), { mode: 0o600 })
      const found = await failingStart(secret(), seen(1_000))
      expect(found.err).toContain('key.older')
    },
    120_000,
  )
})

describe.skipIf(!hasPostgres || !isWhole)('nodes without a shared secret', () => {
  let nodes: Nodes
  beforeAll(async () => void (nodes = await openNodes()), 60_000)
  afterAll(() => nodes?.stop())

  test('rotate nothing while another node is alive, and doctor says why', async () => {
    const one = await nodes.start()
    const other = await nodes.start()
    const before = keyFile(one, 'token-keys.json')
    const refused = await one.cli('keys', 'rotate', 'token')
    expect(refused).toMatchObject({ code: expect.any(Number) as number })
    expect(refused.err).toContain('key.not_shared')
    expect(keyFile(one, 'token-keys.json')).toBe(before)
    expect((await one.cli('doctor')).out).toContain('store.key_secret')
    await other.stop()
    await vi.waitFor(async () => expect(await one.cli('keys', 'rotate', 'token')).toMatchObject({ code: 0 }), PATIENCE)
  }, 120_000)
})
