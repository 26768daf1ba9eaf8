import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../../test/helpers/with-gate.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { saying } from './tampering-proxy.suite.ts'
import { openPair, type Pair } from './with-hub.suite.ts'

const MINUTE = 60_000

describe('a node whose approvals are decided at a hub', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await openPair(IS_WHOLE ? { section: { answer_s: 8 } } : {})
  }, MINUTE)
  afterAll(() => pair.close())

  const wrote = (text: string) => pair.effects().filter((line) => line.includes(text))
  const approve = async (text: string) => {
    const { approval_id } = await pair.atHub(text)
    expect(await pair.hub.approve(approval_id, pair.approver)).toMatchObject({ status: 200 })
    return approval_id
  }

  test(
    'executes a call once after a person at the hub approved it; both audits record it and refer to each other',
    async () => {
      const { call_id, approval_id } = await pair.hold('approved there')
      const packet = await pair.atHub('approved there')
      expect(packet).toMatchObject({
        skill_id: 'edge-1/book__note',
        asked_by: { id: 'node:edge-1' },
        node: { name: 'edge-1', tool: 'book__note', approval_id, context: { caller: 'agent:writer', user: 'ana' } },
      })
      expect(wrote('approved there')).toEqual([])
      await approve('approved there')
      await pair.becomes(call_id, 'executed')
      expect(wrote('approved there')).toHaveLength(1)
      await until(async () => (await pair.audit(pair.hub, 'node.outcome')).length === 1)
      const [outcome] = await pair.audit(pair.hub, 'node.outcome')
      const [approved] = await pair.audit(pair.node, 'approval.approved')
      expect(approved?.about).toMatchObject({ how: 'hub', hub_approval: packet.approval_id })
      expect(outcome?.about?.['word']).toBe(approved?.about?.['word'])
      const { body } = await pair.hub.http('GET', `/v1/approvals/${packet.approval_id}`, pair.approver)
      expect(body).toMatchObject({ state: 'consumed' })
      for (const gate of [pair.hub, pair.node]) expect((await gate.cli('audit', 'verify')).code).toBe(0)
    },
    MINUTE,
  )

  test(
    'refuses the call when the hub denies it, with the reason',
    async () => {
      const { call_id } = await pair.hold('denied there')
      const { approval_id } = await pair.atHub('denied there')
      const decision = { decision: 'deny', reason: 'not on a Monday' }
      await pair.hub.http('POST', `/v1/approvals/${approval_id}/decide`, pair.approver, decision)
      expect(await pair.becomes(call_id, 'approval.denied')).toMatchObject({ about: { reason: 'not on a Monday' } })
      expect(wrote('denied there')).toEqual([])
    },
    MINUTE,
  )

  test(
    'is approved at the hub only after a long text of it was shown there',
    async () => {
      const { call_id } = await pair.hold(`long text ${'x '.repeat(200)}`)
      const { approval_id, digest } = await pair.atHub('long text')
      const decision = { decision: 'approve', digest }
      expect(await pair.hub.http('POST', `/v1/approvals/${approval_id}/decide`, pair.approver, decision)).toMatchObject(
        {
          status: 409,
          body: { code: 'approval.not_shown', packet: { foldable: [{ at: '/text' }] } },
        },
      )
      expect(wrote('long text')).toEqual([])
      await approve('long text')
      await pair.becomes(call_id, 'executed')
    },
    MINUTE,
  )

  test(
    'is decided by nobody else: not by an approver of the node, a token, an edit or a consent',
    async () => {
      const { call_id, approval_id } = await pair.hold('decided here')
      const admin = pair.overseer
      const digest = (await pair.node.http('GET', `/v1/approvals/${approval_id}`, admin)).body['digest']
      const post = (path: string, body: unknown) => pair.node.http('POST', path, admin, body)
      const tries = [
        post(`/v1/approvals/${approval_id}/decide`, { decision: 'approve', digest }),
        post(`/v1/approvals/${approval_id}/decide`, { decision: 'deny' }),
        post(`/v1/approvals/${approval_id}/decide`, { decision: 'edit', args: { text: 'x' }, digest }),
        post(`/v1/approvals/${approval_id}/token`, {}),
        post('/v1/consents', {
          actor: 'caller:agent:writer',
          what: { tool: 'book__note', args: [] },
          calls: 5,
          expires_in_s: 3600,
        }),
      ]
      const answers = (await Promise.all(tries)).map(({ body }) => body)
      expect(answers.map(({ code, detail }) => (code === 'hub.decides' ? code : detail))).toEqual(
        tries.map(() => 'hub.decides'),
      )
      expect((await pair.node.cli('approve', approval_id)).code).not.toBe(0)
      expect(await pair.node.http('GET', `/v1/calls/${call_id}`, pair.agent)).toMatchObject({
        body: { status: 'pending' },
      })
      expect(wrote('decided here')).toEqual([])
    },
    MINUTE,
  )

  test(
    'uses a decision once and only for its own call: replayed, swapped and tampered replies execute nothing',
    async () => {
      const before = pair.between.words.length
      const first = await pair.hold('first one')
      await approve('first one')
      await pair.becomes(first.call_id, 'executed')
      const used = pair.between.words.slice(before).filter((word) => claims(word)['says'] === 'approve')
      const [word = ''] = used
      const refusedBefore = (await pair.audit(pair.node, 'hub.word_refused')).length

      // From now on every answer is the old approval, as it was signed.
      pair.between.meddle(async ({ path, forward }) => (path === '/v1/hub/decisions' ? saying(word) : forward()))
      const second = await pair.hold('second one')
      await pair.atHub('second one')
      await until(async () => (await pair.audit(pair.node, 'hub.word_refused')).length > refusedBefore)
      expect(await pair.node.http('GET', `/v1/calls/${second.call_id}`, pair.agent)).toMatchObject({
        body: { status: 'pending' },
      })

      // The same reply, changed to name the second call.
      const forged = tampered(word, { approval_id: second.approval_id })
      pair.between.meddle(async ({ path, forward }) => (path === '/v1/hub/decisions' ? saying(forged) : forward()))
      await pair.becomes(second.call_id, 'hub.untrusted')
      pair.between.meddle(undefined)
      expect([wrote('first one').length, wrote('second one').length]).toEqual([1, 0])

      const third = await pair.hold('third one')
      await approve('third one')
      await pair.becomes(third.call_id, 'executed')
    },
    MINUTE,
  )

  test(
    'a document may say where its approvals are decided, and is rejected if that is not true for the gate',
    async () => {
      const document = (transport: string) => `apiVersion: gosuto/v1
metadata: { name: filer }
trust: { allowedRooms: ['*'], allowedSenders: ['*'] }
capabilities: [{ name: notes, mcp: book, tool: note, allow: true, requireApproval: true }]
approvals: { transport: ${transport}, approvers: ['@bob:test'] }
workflow:
  protocols:
    - id: file.v1
      trigger: { type: matrix.protocol_message, prefix: FILE }
      steps: [{ type: tool, tool: book__note, argsTemplate: { text: '{{input.text}}' } }]
`
      const apply = (to: Pair['node'], key: string, transport: string) =>
        to.http('POST', '/v1/workflows', key, { document: document(transport) })
      expect((await apply(pair.node, pair.overseer, 'local')).body).toMatchObject({ code: 'hub.local_transport' })
      const admin = await pair.hub.key('admin', 'root')
      expect((await apply(pair.hub, admin, 'hub')).body).toMatchObject({ code: 'hub.absent' })
      expect((await apply(pair.node, pair.overseer, 'hub')).body).toMatchObject({ name: 'filer', version: 1 })
      const run = { input: { text: 'filed by a run' } }
      const started = await pair.node.http('POST', '/v1/workflows/filer/runs', pair.overseer, run)
      const packet = await pair.atHub('filed by a run')
      expect(packet['node']).toMatchObject({
        context: { document: 'filer@1', protocol: 'file.v1', run: started.body['run_id'] },
      })
      // The document names bob; nobody else decides, not even an admin.
      expect((await pair.hub.approve(packet.approval_id, admin)).status).not.toBe(200)
      expect(await pair.hub.approve(packet.approval_id, pair.approver)).toMatchObject({ status: 200 })
      await until(() => wrote('filed by a run').length === 1)
    },
    MINUTE,
  )

  test.each([
    ['edge-2', 'edge-2'],
    ['edge-1', 'mallory'],
  ])(
    'another node (%s of %s) learns nothing of its requests, withdraws none, and decides nothing at the hub',
    async (name, user) => {
      const { approval_id } = await pair.hold(`for one node and not ${user}`)
      const packet = await pair.atHub(`for one node and not ${user}`)
      const other = await pair.hub.key('node', name, user)
      const asked = { approvals: [approval_id, packet.approval_id], wait_s: 0 }
      const refused = {
        is: 'outcome',
        message: 'run_0000000000000001',
        nonce: 'a'.repeat(32),
        approval_id,
        state: 'refused',
      }
      expect(await pair.hub.http('POST', '/v1/hub/outcomes', other, refused)).toMatchObject({
        body: { code: 'approval.unknown' },
      })
      expect(await pair.hub.approve(packet.approval_id, pair.approver)).toMatchObject({ status: 200 })
      expect(await pair.hub.http('POST', '/v1/hub/decisions', other, asked)).toEqual({
        status: 200,
        body: { words: [] },
      })
      const outcome = { is: 'outcome', message: 'run_0000000000000001', nonce: 'a'.repeat(32), approval_id }
      expect(await pair.hub.http('POST', '/v1/hub/outcomes', other, { ...outcome, state: 'executed' })).toMatchObject({
        body: { code: 'approval.unknown' },
      })
      const { items } = (await pair.hub.http('GET', '/v1/hub/nodes', pair.approver)).body
      expect(items).toContainEqual(expect.objectContaining({ node: name, user, pending: 0 }))
      const decision = { decision: 'approve', digest: packet.digest }
      expect(await pair.hub.http('POST', `/v1/approvals/${packet.approval_id}/decide`, other, decision)).toMatchObject({
        status: 403,
      })
    },
    MINUTE,
  )

  test.skipIf(!IS_WHOLE)(
    'refuses calls while the hub is unreachable or does not confirm in time, and works again when it is back',
    async () => {
      pair.between.meddle(async () => 'cut')
      const lost = await pair.hold('hub is away')
      expect(await pair.becomes(lost.call_id, 'hub.unreachable')).toMatchObject({
        about: { why: /could not be reached/ },
      })
      pair.between.meddle(undefined)
      const later = await pair.hold('hub is back')
      await approve('hub is back')
      await pair.becomes(later.call_id, 'executed')
      expect([wrote('hub is away').length, wrote('hub is back').length]).toEqual([0, 1])
    },
    MINUTE,
  )
})

const claims = (word: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(word.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>

/** The reply with other claims and its old signature. */
function tampered(word: string, other: object): string {
  const [head, , signature] = word.split('.')
  const body = Buffer.from(JSON.stringify({ ...claims(word), ...other })).toString('base64url')
  return [head, body, signature].join('.')
}
