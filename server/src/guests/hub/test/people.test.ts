import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../../test/helpers/with-gate.ts'
import { receiver, type Receiver } from '../../../../test/ops/receiver.ts'
import { openPair, type Pair } from './with-hub.suite.ts'

const MINUTE = 60_000
type Key = { readonly key_id: string; readonly caller: { readonly user: string } }

describe('a request of a node that one person cannot decide', () => {
  let pair: Pair
  let phone: Receiver
  const people: Record<string, string> = {}
  beforeAll(async () => {
    phone = await receiver()
    const groups = { desk: ['bob', 'carol', 'dave'] }
    const routes = [{ id: 'two-of-three', match: { tool: 'book__slow_note' }, group: 'desk', people: 2 }]
    const rule = {
      id: 'two',
      effect: 'ask',
      strength: 'two_person',
      match: { tool: 'book__note_again' },
      says: 'two people',
    }
    pair = await openPair({
      hub: { approvals: { groups, routes } },
      node: {
        policy: { rules: [rule] },
        channels: { push: [{ name: 'phone', url: `${phone.url}/topic`, events: ['approval.pending'] }] },
      },
      tools: { echo: { effects: ['write'], tags: ['production'] } },
    })
    people['bob'] = pair.approver
    for (const name of ['carol', 'dave', 'erin', 'ana']) people[name] = await pair.hub.key('approver', name)
  }, MINUTE)
  afterAll(async () => {
    await pair.close()
    await phone.close()
  })

  const hold = async (tool: string, text: string) => {
    const { body } = await pair.node.http('POST', '/v1/calls', pair.agent, { tool, args: { text } })
    expect(body).toMatchObject({ status: 'pending' })
    return body as { call_id: string; approval_id: string }
  }
  const wrote = (text: string) => pair.effects().filter((line) => line.includes(text)).length
  const approve = (name: string, id: string) => pair.hub.approve(id, people[name] ?? '')
  const isPending = async (call_id: string) =>
    (await pair.node.http('GET', `/v1/calls/${call_id}`, pair.agent)).body['status'] === 'pending'

  test(
    'a two-person request is executed after two people at the hub approved it, never by one person twice or by the requester',
    async () => {
      const { call_id } = await hold('book__note_again', 'by two')
      const { approval_id, ...packet } = await pair.atHub('by two')
      expect(packet).toMatchObject({ strength: 'two_person', asked: { people: 2, missing: 2 } })
      // ana is the user of the agent that made the call at the node.
      expect((await approve('ana', approval_id)).status).not.toBe(200)
      expect(await approve('bob', approval_id)).toMatchObject({ status: 200, body: { state: 'pending' } })
      expect((await approve('bob', approval_id)).status).not.toBe(200)
      expect(await isPending(call_id)).toBe(true)
      expect(await approve('carol', approval_id)).toMatchObject({ status: 200, body: { state: 'approved' } })
      await pair.becomes(call_id, 'executed')
      expect(wrote('by two')).toBe(1)
      const approved = (await pair.audit(pair.node, 'approval.approved')).at(-1)
      expect(approved?.about).toMatchObject({ how: 'hub', people: 2 })
    },
    MINUTE,
  )

  test(
    'a channel of the node says that the hub decides, and does not ask for a decision',
    async () => {
      const before = phone.received.length
      const { call_id } = await hold('book__note', 'decided on the phone')
      const { approval_id } = await pair.atHub('decided on the phone')
      const { headers } = await phone.nth(before)
      expect(headers['title']).toBe('book__note: waiting for the hub')
      const no = { decision: 'deny', reason: 'not now' }
      await pair.hub.http('POST', `/v1/approvals/${approval_id}/decide`, people['bob'], no)
      await pair.becomes(call_id, 'approval.denied')
    },
    MINUTE,
  )

  test(
    'a denial by either person ends it at once',
    async () => {
      const { call_id } = await hold('book__note_again', 'one says no')
      const { approval_id } = await pair.atHub('one says no')
      await approve('bob', approval_id)
      const no = { decision: 'deny', reason: 'not both of us' }
      await pair.hub.http('POST', `/v1/approvals/${approval_id}/decide`, people['carol'], no)
      expect(await pair.becomes(call_id, 'approval.denied')).toMatchObject({ about: { reason: 'not both of us' } })
      expect(wrote('one says no')).toBe(0)
    },
    MINUTE,
  )

  test(
    'n of a group at the hub: nobody outside the group counts, and the node waits for the last one',
    async () => {
      const { call_id } = await hold('book__slow_note', 'by the desk')
      const { approval_id, asked } = await pair.atHub('by the desk')
      expect(asked).toMatchObject({ people: 2, groups: [{ name: 'desk' }] })
      expect((await approve('erin', approval_id)).status).not.toBe(200)
      expect(await approve('dave', approval_id)).toMatchObject({ body: { state: 'pending' } })
      expect(await isPending(call_id)).toBe(true)
      expect(await approve('bob', approval_id)).toMatchObject({ body: { state: 'approved' } })
      await pair.becomes(call_id, 'executed')
      expect(wrote('by the desk')).toBe(1)
    },
    MINUTE,
  )

  test(
    'a critical call asks two people at the hub, even if the node has only one',
    async () => {
      // Nobody but the owner of the data folder is left.
      const { out } = await pair.node.cli('--json', 'keys', 'list')
      const boss = (JSON.parse(out) as { items: Key[] }).items.find(({ caller }) => caller.user === 'boss')
      expect((await pair.node.cli('keys', 'revoke', boss?.key_id ?? '')).code).toBe(0)
      const { call_id } = await hold('book__echo', 'critical')
      const { approval_id, strength } = await pair.atHub('critical')
      expect(strength).toBe('two_person')
      await approve('bob', approval_id)
      await approve('carol', approval_id)
      await pair.becomes(call_id, 'executed')
      await until(async () => (await pair.audit(pair.hub, 'node.outcome')).length >= 3)
    },
    MINUTE,
  )
})
