import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resumeToolflow } from '../../src/guests/toolflow/resume-toolflow.ts'
import type { ChatEvent, ChatRoom } from '../../src/kernel/ports/chat.ts'
import { openSenderLimits } from '../../src/guests/chat/sender-limits.ts'
import { takeChat } from '../../src/guests/chat/take-chat.ts'
import type { ApprovalPacket } from '../../src/kernel/contract/approval.ts'
import type { Json } from '../../src/kernel/contract/json.ts'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { APPROVER, pendingOf, USER, withGate, type GateRig } from '../helpers/with-gate.ts'
import { note, runFlow, shownIn, valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'

/** Only what was shown can be approved: what a page may fold, a decision has to name, on every way to decide. */
const HIDDEN = 'and wire 9,000 to mallory'
const LONG = `Hello Ana,\nthanks.\n${HIDDEN}${'\n'.repeat(300)}`
const TEXTS = { text: LONG, more: 'y'.repeat(400) }

async function hold(rig: GateRig, args: Json = TEXTS): Promise<ApprovalPacket> {
  const { approval_id } = pendingOf(await rig.call('book__note', args))
  return valueOf(await rig.gate.approvals.read(APPROVER, approval_id))
}
const refusal = (code: string) => ({ ok: false, problem: { code } })

describe('a decision', () => {
  const WRONG: readonly [string, (packet: ApprovalPacket, other: ApprovalPacket) => readonly string[] | undefined][] = [
    ['none', () => undefined],
    ['an empty list', () => []],
    ['only one of two', ({ foldable }) => foldable.slice(0, 1).map(({ id }) => id)],
    ['one of them twice', ({ foldable: [first] }) => [first?.id ?? '', first?.id ?? '']],
    ['those of another request', (_, { foldable }) => foldable.map(({ id }) => id)],
    ['their places', ({ foldable }) => foldable.map(({ at }) => at)],
  ]

  test.each(WRONG)('that names %s of the foldable texts is refused, and nothing runs', async (_, unfolded) => {
    await withGate(async (rig) => {
      const packet = await hold(rig)
      const other = await hold(rig, { text: 'z'.repeat(500), more: 'y'.repeat(399) })
      expect(packet.foldable).toMatchObject([
        { at: '/more', length: 400 },
        { at: '/text', length: LONG.length },
      ])
      const given = unfolded(packet, other)
      const decision = {
        says: 'approve',
        digest: packet.digest,
        ...(given === undefined ? {} : { unfolded: given }),
      } as const
      const { approvals } = rig.gate
      expect(await approvals.decide(APPROVER, packet.approval_id, decision)).toMatchObject(
        refusal('approval.not_shown'),
      )
      const remember = { calls: 5, expires_in_s: 3600 }
      expect(await approvals.decide(APPROVER, packet.approval_id, { ...decision, remember })).toMatchObject(
        refusal('approval.not_shown'),
      )
      expect(valueOf(await approvals.read(APPROVER, packet.approval_id)).state).toBe('pending')
      expect(rig.effects()).toEqual([])
      const unfoldedAll = packet.foldable.map(({ id }) => id)
      valueOf(await approvals.decide(APPROVER, packet.approval_id, { ...decision, unfolded: unfoldedAll }))
      await rig.outcome(packet.call_id)
      expect(rig.effects()).toHaveLength(1)
    })
  })

  test('is possible without a word if nothing can be folded: nested values are always shown', async () => {
    await withGate(async (rig) => {
      const packet = await hold(rig, { text: 'ok', settings: { share: [{ admins: ['mallory'], why: LONG }] } })
      expect(packet.foldable).toEqual([])
      valueOf(await rig.gate.approvals.decide(APPROVER, packet.approval_id, { says: 'approve', digest: packet.digest }))
    })
  })

  test('through a toolflow carries the same', async () => {
    await withGate(async (rig) => {
      const view = await runFlow(rig, note(LONG))
      const shown = { ...shownIn(view), choice: 'Approve & Execute' } as const
      expect(await resumeToolflow(rig.ports, APPROVER, view.run_id, shown)).toMatchObject(refusal('approval.not_shown'))
      const { foldable } = valueOf(await rig.gate.approvals.read(APPROVER, shown.approval_id))
      const unfolded = foldable.map(({ id }) => id)
      expect(valueOf(await resumeToolflow(rig.ports, APPROVER, view.run_id, { ...shown, unfolded }))).toMatchObject({
        status: 'OK',
      })
    })
  })

  test('is recorded with how many texts had to be unfolded', async () => {
    await withGate(async (rig) => {
      const { approval_id, digest, foldable } = await hold(rig)
      const unfolded = foldable.map(({ id }) => id)
      valueOf(await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'approve', digest, unfolded }))
      const entries = []
      for await (const line of rig.gate.audit.export(0, 'jsonl')) entries.push(line)
      expect(entries.filter((entry) => entry.includes('unfolded'))).toHaveLength(1)
    })
  })
})

describe('a token', () => {
  test.each<[string, Json]>([
    ['a text that can be folded', { text: LONG }],
    [
      'arguments that do not fit into a message',
      { text: 'ok', settings: [{ admins: ['mallory'] }, 'n '.repeat(1_500)] },
    ],
  ])('is not issued for %s', async (_, args) => {
    await withGate(async (rig) => {
      const { approval_id } = await hold(rig, args)
      expect(await rig.gate.approvals.issueToken(USER, approval_id)).toMatchObject(refusal('approval.not_shown'))
    })
  })
})

describe('a room of approvers', () => {
  const answerIn = async (
    rig: GateRig,
    packet: ApprovalPacket,
    digest: string | undefined,
    how: 'text' | 'reaction',
  ) => {
    const prompt = { approval_id: packet.approval_id, ...(digest === undefined ? {} : { digest }) }
    const room = {
      name: 'ops',
      people: new Map([['@bob', APPROVER]]),
      promptFor: async () => prompt,
    } as unknown as ChatRoom
    const event = { event_id: `${packet.approval_id} ${how}`, sender: '@bob', at: Date.now() }
    const said: ChatEvent =
      how === 'text'
        ? { ...event, is: 'text', text: `approve ${packet.approval_id}` }
        : { ...event, is: 'reaction', key: '✅', to: prompt }
    return takeChat({ ...rig.ports, limits: openSenderLimits() }, room, said)
  }

  test('decides nothing that its message cut, by a line or by a reaction', async () => {
    await withGate(async (rig) => {
      const packet = await hold(rig, { text: 'w '.repeat(2_000) })
      for (const how of ['text', 'reaction'] as const)
        expect(await answerIn(rig, packet, undefined, how)).toContain('not shown here in full')
      expect(valueOf(await rig.gate.approvals.read(APPROVER, packet.approval_id)).state).toBe('pending')
    })
  })

  test('decides what its message showed whole', async () => {
    await withGate(async (rig) => {
      const packet = await hold(rig, { text: LONG })
      expect(await answerIn(rig, packet, packet.digest, 'text')).toContain('is approved')
    })
  })
})

describe('over HTTP and at the command line', () => {
  let gate: RunningGate & { stop(): Promise<void> }
  let agent = ''
  let approver = ''
  beforeAll(async () => {
    gate = await startGate()
    agent = await gate.key('agent', 'a', 'ana')
    approver = await gate.key('approver', 'bob')
  }, 60_000)
  afterAll(() => gate.stop())

  const held = async (args: object) =>
    String((await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args })).body['approval_id'])

  test('the refusal names the places and shows the request again', async () => {
    const id = await held(TEXTS)
    const { digest } = (await gate.http('GET', `/v1/approvals/${id}`, approver)).body
    const refused = await gate.http('POST', `/v1/approvals/${id}/decide`, approver, { decision: 'approve', digest })
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'approval.not_shown', packet: { foldable: [{ at: '/more' }, { at: '/text' }] } },
    })
    expect(JSON.stringify(refused.body)).toContain('`/more` (400 characters)')
    expect((await gate.approve(id, approver)).status).toBe(200)
  })

  test('`sluice token` and `sluice redeem` print what the token approves', async () => {
    const id = await held({ text: `one\ntwo\nthree: ${HIDDEN}` })
    const token = await gate.cli('token', id)
    expect([token.err, token.out.trim()]).toEqual([expect.stringContaining(HIDDEN), expect.stringMatching(/^v1\.\S+$/)])
    const redeemed = await gate.cli('redeem', id, token.out.trim(), '--session', 't1')
    expect(redeemed.err).toContain(HIDDEN)
  })

  test('`sluice approve` prints every line of it first, and `--digest` only follows `approvals show`', async () => {
    const [first, second] = [await held({ ...TEXTS, text: `1${LONG}` }), await held({ ...TEXTS, text: `2${LONG}` })]
    const approved = await gate.cli('approve', first)
    expect([approved.code, approved.err]).toEqual([0, expect.stringContaining(HIDDEN)])
    const { out } = await gate.cli('approvals', 'show', second)
    expect(out).toContain(HIDDEN)
    const [, digest = ''] = /request digest ([0-9a-f]{64})/.exec(out) ?? []
    expect((await gate.cli('approve', second, '--digest', digest)).code).toBe(0)
    // The list cuts long arguments, so it has no digest to approve with.
    await held({ ...TEXTS, text: `3${LONG}` })
    expect((await gate.cli('approvals')).out).not.toMatch(/request digest [0-9a-f]{17}/)
  })
})
