import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ADMIN,
  APPROVER,
  approveShown,
  openTestGate,
  pendingOf,
  until,
  type GateRig,
} from '../../../../test/helpers/with-gate.ts'
import { readHubKeys } from '../../hub/endpoints.ts'
import { encryptedPerson } from './encrypted-person.suite.ts'
import {
  personAt,
  startHomeserver,
  synapseRoot,
  type Homeserver,
  type MatrixUser,
  type Person,
} from './homeserver.suite.ts'

const root = process.env['SLUICE_MATRIX'] === 'whole' ? synapseRoot() : undefined
const MINUTES = 240_000

describe.skipIf(root === undefined)('a hub and a node in an encrypted control room', { retry: 0 }, () => {
  const folders = {
    hub: mkdtempSync(join(tmpdir(), 'sluice-hub-')),
    node: mkdtempSync(join(tmpdir(), 'sluice-node-')),
  }
  let homeserver: Homeserver
  let users: Record<'hub' | 'node', MatrixUser>
  let ivy: Person
  let owner: Awaited<ReturnType<typeof encryptedPerson>>
  let room = ''
  let hub: GateRig
  let node: GateRig
  let publicKey = ''

  const login = (who: 'hub' | 'node', proof: 'password' | 'token' = 'password') => ({
    homeserver: homeserver.url,
    user: users[who].id,
    [proof]: `env:TEST_ENCRYPTED_${who.toUpperCase()}_${proof.toUpperCase()}`,
    room,
  })
  const openHub = () =>
    openTestGate(folders.hub, {
      config: { nodes: { matrix: { ...login('hub'), nodes: { [users.node.id]: 'edge-1' } } } },
    })
  const openNode = (proof: 'password' | 'token' = 'password', answer_s = 150) =>
    openTestGate(folders.node, {
      config: {
        hub: {
          node: 'edge-1',
          matrix: { ...login('node', proof), hub: users.hub.id },
          public_keys: [publicKey],
          answer_s,
        },
      },
    })

  beforeAll(async () => {
    homeserver = await startHomeserver(root ?? '')
    users = { hub: await homeserver.register('hub'), node: await homeserver.register('edge') }
    for (const [who, { password, token }] of Object.entries(users)) {
      process.env[`TEST_ENCRYPTED_${who.toUpperCase()}_PASSWORD`] = password
      process.env[`TEST_ENCRYPTED_${who.toUpperCase()}_TOKEN`] = token
    }
    const user = await homeserver.register('ivy')
    ivy = personAt(homeserver, user)
    owner = await encryptedPerson(homeserver, user)
    room = await owner.createEncryptedRoom([users.hub.id, users.node.id])
    hub = await openHub()
    const keys = readHubKeys(hub.ports, ADMIN)
    publicKey = keys.ok ? (keys.value.keys[0]?.public_key ?? '') : ''
    node = await openNode()
  }, MINUTES)
  afterAll(async () => {
    await node.opened.close()
    await hub.opened.close()
    await owner.close()
    await homeserver.close()
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  }, MINUTES)

  const hold = async (text: string) => pendingOf(await node.call('book__note', { text }))
  const ran = (text: string) => node.effects().filter((line) => line.includes(`"${text}"`)).length
  const atHub = async (text: string) => {
    const find = async () =>
      (await hub.gate.approvals.list(APPROVER, undefined, { limit: 100 })).items.find(({ proposed_args }) =>
        proposed_args.includes(`"${text}"`),
      )
    await until(async () => (await find()) !== undefined)
    return (await find())?.approval_id ?? ''
  }
  const ended = async (call_id: string) => {
    await until(async () => {
      const read = await node.gate.calls.read(ADMIN, call_id, 1_000)
      return read.ok && read.value.status !== 'pending' && read.value.status !== 'executing'
    })
    return node.outcome(call_id)
  }

  test(
    'work as in any other room, and the homeserver stores nothing that it can read',
    async () => {
      const yes = await hold('under seal')
      const no = await hold('denied under seal')
      expect(await approveShown(hub.gate, APPROVER, await atHub('under seal'))).toMatchObject({ ok: true })
      await hub.gate.approvals.decide(APPROVER, await atHub('denied under seal'), { says: 'deny' })
      expect(await ended(yes.call_id)).toMatchObject({ status: 'executed' })
      expect(await ended(no.call_id)).toMatchObject({ problem: { code: 'approval.denied' } })
      expect([ran('under seal'), ran('denied under seal')]).toEqual([1, 0])
      const stored = await ivy.messages(room)
      expect(stored.filter(({ type }) => type === 'm.room.encrypted').length).toBeGreaterThan(3)
      expect(stored.filter(({ type }) => type === 'm.room.message')).toEqual([])
      expect(JSON.stringify(stored)).not.toContain('under seal')
      expect(JSON.stringify(stored)).not.toContain('io.sluice')
    },
    MINUTES,
  )

  test(
    'continue after a restart of both, although they cannot read earlier messages: the request is sent again',
    async () => {
      await hub.opened.close()
      const held = await hold('over new devices')
      await ivy.sees(room, ({ type, sender }) => type === 'm.room.encrypted' && sender === users.node.id)
      hub = await openHub()
      const approval_id = await atHub('over new devices')
      await node.opened.close()
      expect(await approveShown(hub.gate, APPROVER, approval_id)).toMatchObject({ ok: true })
      node = await openNode()
      expect(await ended(held.call_id)).toMatchObject({ status: 'executed' })
      expect(ran('over new devices')).toBe(1)
    },
    MINUTES,
  )

  test(
    'a node with a token instead of a password cannot encrypt: nothing is sent unencrypted, and its calls are refused',
    async () => {
      await node.opened.close()
      node = await openNode('token', 5)
      const lost = await hold('in the clear')
      expect(await ended(lost.call_id)).toMatchObject({ problem: { code: 'hub.unreachable' } })
      expect(JSON.stringify(await ivy.messages(room))).not.toContain('in the clear')
      expect(ran('in the clear')).toBe(0)
    },
    MINUTES,
  )
})
