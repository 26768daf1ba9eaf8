import { expect, test } from 'vitest'
import type { Caller } from '../../contract/caller.ts'
import type { Outcome } from '../../contract/call.ts'
import { race } from '../../../../test/race/race.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  pendingOf,
  until,
  withGate,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const TOO_MANY = { status: 'refused', problem: { code: 'approval.too_many_pending' } }
const limited = (approvals: object) => ({ config: { approvals } })
const note = (rig: GateRig, text: string, caller: Caller = AGENT) => rig.call('book__note', { text }, { caller })
const hold = async (rig: GateRig, text: string) => pendingOf(await note(rig, text))

/** Every way to close a request. */
const ENDINGS: readonly (readonly [string, (rig: GateRig, held: ReturnType<typeof pendingOf>) => Promise<unknown>])[] =
  [
    ['approved', ({ gate }, held) => approveShown(gate, APPROVER, held.approval_id)],
    ['denied', ({ gate }, held) => gate.approvals.decide(APPROVER, held.approval_id, { says: 'deny' })],
    ['withdrawn', ({ gate }, held) => gate.calls.withdraw(AGENT, held.call_id)],
  ]

test.each(ENDINGS)('a request that was %s makes room for exactly one more', (_name, end) =>
  withGate(
    async (rig) => {
      const first = await hold(rig, '1')
      await hold(rig, '2')
      expect(await note(rig, '3')).toMatchObject({
        ...TOO_MANY,
        problem: { about: { pending: '2', limit: '2' } },
      })
      expect(await end(rig, first)).toMatchObject({ ok: true })
      await rig.outcome(first.call_id)
      await hold(rig, '4')
      expect(await note(rig, '5')).toMatchObject(TOO_MANY)
    },
    limited({ pending_per_caller: 2 }),
  ),
)

test('a request that expired makes room', () =>
  withGate(
    async (rig) => {
      const { expires_at } = await hold(rig, '1')
      const second = await note(rig, '2')
      // On a busy machine the first can have expired already.
      if (Date.now() < expires_at) expect(second).toMatchObject(TOO_MANY)
      await until(async () => (await note(rig, '3')).status === 'pending')
    },
    limited({ pending_per_caller: 1, expires_s: 1 }),
  ))

test('an edited request frees the space of the one it replaces, and uses its own size', () =>
  withGate(
    async (rig) => {
      const first = await hold(rig, 'x'.repeat(10))
      const edited = await rig.gate.approvals.edit(APPROVER, first.approval_id, { text: 'x'.repeat(600) })
      expect(edited).toMatchObject({ ok: true })
      // The edit is not refused, but it fills the caller's limit.
      expect(await note(rig, 'x'.repeat(300))).toMatchObject(TOO_MANY)
      const approval_id = edited.ok ? edited.value.approval_id : ''
      await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'deny' })
      await hold(rig, 'x'.repeat(300))
    },
    limited({ pending_per_caller: 2, pending_bytes_per_caller: 700 }),
  ))

test('the first of two approvals frees no space, and the second frees it once', () =>
  withGate(
    async (rig) => {
      const first = await hold(rig, '1')
      const second: Caller = { kind: 'approver', id: 'approver:eve', user: 'eve' }
      await approveShown(rig.gate, APPROVER, first.approval_id)
      expect(await note(rig, '2')).toMatchObject(TOO_MANY)
      await approveShown(rig.gate, second, first.approval_id)
      expect(await rig.outcome(first.call_id)).toMatchObject({ status: 'executed' })
      await hold(rig, '3')
      expect(await note(rig, '4')).toMatchObject(TOO_MANY)
    },
    {
      policy:
        'rules: [{ id: two, effect: ask, strength: two_person, match: { tool: book__note }, says: two people decide }]',
      ...limited({ pending_per_caller: 1 }),
    },
  ))

test('each user of an agent has separate limits, and refused calls can be repeated', () =>
  withGate(
    async (rig) => {
      await hold(rig, '1')
      pendingOf(await note(rig, '1', { ...AGENT, user: 'eve' }))
      const key = { idempotency_key: 'k' }
      expect(await rig.call('book__note', { text: '2' }, key)).toMatchObject(TOO_MANY)
      const types = (await rig.gate.audit.page(undefined, 1, 1000)).filter(({ type }) => type === 'call.stopped')
      expect(types).toMatchObject([{ about: { code: 'approval.too_many_pending' } }])
      expect(await rig.call('book__look')).toMatchObject({ status: 'executed' })
    },
    limited({ pending_per_caller: 1 }),
  ))

test('of many concurrent calls, exactly as many are held as allowed', () =>
  withGate(
    async (rig) => {
      const counted: Record<string, number> = {}
      const seen = (outcome: Outcome) => {
        const key = outcome.status === 'refused' ? outcome.problem.code : outcome.status
        counted[key] = (counted[key] ?? 0) + 1
      }
      await Promise.all(Array.from({ length: 40 }, async (_, nth) => seen(await note(rig, `here ${nth}`))))
      expect(counted['pending']).toBe(7)
      const { items } = await rig.gate.approvals.list(ADMIN, 'pending', { limit: 100 })
      expect(items).toHaveLength(7)
    },
    limited({ pending_per_caller: 7 }),
  ))

test('two processes that hold calls of one caller share its limit', () =>
  withGate(async (rig) => {
    await rig.opened.close()
    const racers = ['a', 'b'].map((name) => [rig.folder, 'book__note', 't1', name, '120', '', JSON.stringify(AGENT)])
    const total = await race('call-racer.ts', racers)
    expect(total['pending']).toBe(200)
    expect(total['approval.too_many_pending']).toBe(40)
  }))
