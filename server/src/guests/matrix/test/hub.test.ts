import { readNodes } from '../../hub/read-nodes.ts'
import { readHubKeys } from '../../hub/endpoints.ts'
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
import {
  personAt,
  startHomeserver,
  synapseRoot,
  type Homeserver,
  type MatrixUser,
  type Person,
} from './homeserver.suite.ts'

const root = synapseRoot()
const MINUTES = 240_000

describe.skipIf(root === undefined || process.env['SLUICE_MATRIX'] !== 'whole')(
  'a node whose hub is in a control room',
  () => {
    const folders = {
      hub: mkdtempSync(join(tmpdir(), 'sluice-hub-')),
      node: mkdtempSync(join(tmpdir(), 'sluice-node-')),
    }
    let homeserver: Homeserver
    let hubUser: MatrixUser
    let nodeUser: MatrixUser
    let eve: Person
    let room = ''
    let hub: GateRig
    let node: GateRig
    let publicKey = ''

    const openHub = () =>
      openTestGate(folders.hub, {
        config: { nodes: { matrix: { ...login(hubUser, 'HUB'), nodes: { [nodeUser.id]: 'edge-1' } } } },
      })
    const openNode = () =>
      openTestGate(folders.node, {
        config: {
          hub: {
            node: 'edge-1',
            matrix: { ...login(nodeUser, 'NODE'), hub: hubUser.id },
            public_keys: [publicKey],
            answer_s: 20,
          },
        },
      })
    const login = (user: MatrixUser, name: string) => ({
      homeserver: homeserver.url,
      user: user.id,
      token: `env:TEST_MATRIX_${name}`,
      room,
    })

    beforeAll(async () => {
      homeserver = await startHomeserver(root ?? '')
      console.log(`Synapse ${homeserver.version}`)
      hubUser = await homeserver.register('hub')
      nodeUser = await homeserver.register('edge')
      process.env['TEST_MATRIX_HUB'] = hubUser.token
      process.env['TEST_MATRIX_NODE'] = nodeUser.token
      eve = personAt(homeserver, await homeserver.register('eve'))
      room = await personAt(homeserver, hubUser).createRoom([nodeUser.id, eve.id])
      await eve.join(room)
      hub = await openHub()
      const keys = readHubKeys(hub.ports, ADMIN)
      publicKey = keys.ok ? (keys.value.keys[0]?.public_key ?? '') : ''
      node = await openNode()
    }, MINUTES)
    afterAll(async () => {
      await node.opened.close()
      await hub.opened.close()
      await homeserver.close()
      for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
    }, MINUTES)

    const hold = async (text: string) => pendingOf(await node.call('book__note', { text }))
    const ran = (text: string) => node.effects().filter((line) => line.includes(`"${text}"`))
    const atHub = async (text: string) => {
      const find = async () =>
        (await hub.gate.approvals.list(APPROVER, undefined, { limit: 100 })).items.find(({ proposed_args }) =>
          proposed_args.includes(`"${text}"`),
        )
      await until(async () => (await find()) !== undefined)
      const found = await find()
      if (found === undefined) throw new Error('the request is no longer listed')
      return found
    }
    const ended = async (call_id: string) => {
      await until(async () => {
        const read = await node.gate.calls.read(ADMIN, call_id, 1_000)
        return read.ok && read.value.status !== 'pending' && read.value.status !== 'executing'
      })
      return node.outcome(call_id)
    }

    test(
      'is shown as seen at the hub before it has sent any request',
      async () => {
        const seen = async () => {
          const nodes = await readNodes({ ...hub.ports, seen: hub.ports.nodesSeen }, ADMIN)
          return nodes.ok ? nodes.value : []
        }
        await until(async () => (await seen())[0]?.seen_at !== undefined)
        expect(await seen()).toMatchObject([{ node: 'edge-1', state: 'enrolled', pending: 0 }])
      },
      MINUTES,
    )

    test(
      'executes once what was approved, refuses what was denied, and the hub learns how it ended',
      async () => {
        const first = await hold('by chat')
        const denied = await hold('denied by chat')
        expect(await approveShown(hub.gate, APPROVER, (await atHub('by chat')).approval_id)).toMatchObject({ ok: true })
        const no = { says: 'deny', reason: 'not now' } as const
        expect(
          await hub.gate.approvals.decide(APPROVER, (await atHub('denied by chat')).approval_id, no),
        ).toMatchObject({
          ok: true,
        })
        expect(await ended(first.call_id)).toMatchObject({ status: 'executed' })
        expect(await ended(denied.call_id)).toMatchObject({ problem: { code: 'approval.denied' } })
        await until(async () => (await atHub('by chat')).state === 'consumed')
        expect([ran('by chat').length, ran('denied by chat').length]).toEqual([1, 0])
      },
      MINUTES,
    )

    test(
      'trusts nobody else in the room: forged and replayed replies of others execute nothing, and requests of others are not stored',
      async () => {
        const messages = await eve.messages(room)
        const words = messages.flatMap(({ content }) =>
          typeof content['io.sluice.hub'] === 'string' ? [content['io.sluice.hub']] : [],
        )
        const requests = messages.flatMap(({ content }) =>
          typeof content['io.sluice.node'] === 'string' ? [content['io.sluice.node']] : [],
        )
        expect(words.length).toBeGreaterThan(1)
        const before = (await hub.gate.approvals.list(APPROVER, undefined, { limit: 100 })).items.length
        const waiting = await hold('waits for the hub')
        await atHub('waits for the hub')
        for (const text of words)
          await eve.send(room, 'm.room.message', { msgtype: 'm.notice', body: 'x', 'io.sluice.hub': text })
        for (const text of requests) {
          const other = JSON.stringify({ ...(JSON.parse(text) as object), approval_id: 'auth_ffffffffffffffff' })
          await eve.send(room, 'm.room.message', { msgtype: 'm.notice', body: 'x', 'io.sluice.node': other })
        }
        const after = await hold('comes after them')
        expect(await approveShown(hub.gate, APPROVER, (await atHub('comes after them')).approval_id)).toMatchObject({
          ok: true,
        })
        expect(await ended(after.call_id)).toMatchObject({ status: 'executed' })
        expect(ran('waits for the hub')).toEqual([])
        expect((await hub.gate.approvals.list(APPROVER, undefined, { limit: 100 })).items).toHaveLength(before + 2)
        await hub.gate.approvals.decide(APPROVER, (await atHub('waits for the hub')).approval_id, { says: 'deny' })
        expect(await ended(waiting.call_id)).toMatchObject({ status: 'refused' })
      },
      MINUTES,
    )

    test(
      'a secret in the arguments never enters the room',
      async () => {
        const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
        const { call_id, approval_id } = await hold(`with ${secret}`)
        await eve.sees(room, ({ content }) => String(content['io.sluice.node']).includes(approval_id))
        expect(JSON.stringify(await eve.messages(room))).not.toContain(secret)
        await node.gate.calls.withdraw(ADMIN, call_id)
      },
      MINUTES,
    )

    test(
      'continues after a restart of either side, and executes once',
      async () => {
        const held = await hold('over restarts')
        const { approval_id } = await atHub('over restarts')
        await hub.opened.close()
        hub = await openHub()
        await node.opened.close()
        expect(await approveShown(hub.gate, APPROVER, approval_id)).toMatchObject({ ok: true })
        node = await openNode()
        expect(await ended(held.call_id)).toMatchObject({ status: 'executed' })
        expect(ran('over restarts')).toHaveLength(1)
        await until(async () => (await atHub('over restarts')).state === 'consumed')
      },
      MINUTES,
    )

    test(
      'refuses calls while the homeserver is down, and works again by itself',
      async () => {
        await homeserver.stop()
        const lost = await hold('without a homeserver')
        expect(await ended(lost.call_id)).toMatchObject({ problem: { code: 'hub.unreachable' } })
        await homeserver.start()
        const later = await hold('after the restart')
        expect(await approveShown(hub.gate, APPROVER, (await atHub('after the restart')).approval_id)).toMatchObject({
          ok: true,
        })
        expect(await ended(later.call_id)).toMatchObject({ status: 'executed' })
        expect([ran('without a homeserver').length, ran('after the restart').length]).toEqual([0, 1])
      },
      MINUTES,
    )
  },
)
