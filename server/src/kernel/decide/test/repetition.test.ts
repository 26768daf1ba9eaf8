import { describe, expect, test } from 'vitest'
import type { CallRequest } from '../../contract/call.ts'
import {
  AGENT,
  APPROVER,
  pendingOf,
  SECOND,
  until,
  USER,
  withGate,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

describe('a call that a person rejected', () => {
  test('is blocked when it is repeated in any thread, with the person`s reason', async () => {
    await withGate(async ({ gate, call, effects }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      await gate.approvals.decide(APPROVER, held.approval_id, { says: 'deny', reason: 'not this book' })
      for (let again = 0; again < 8; again += 1)
        expect(await call('book__note', { text: 'x' })).toMatchObject({
          status: 'refused',
          problem: { about: { rules: 'repetition.rejected', says: expect.stringContaining('not this book') } },
        })
      expect(await call('book__note', { text: 'y' })).toMatchObject({ status: 'pending' })
      const elsewhere: Pick<CallRequest, 'thread'>[] = [{ thread: 't2' }, { thread: 'mcp:abc' }, {}]
      for (const other of elsewhere)
        expect(
          await gate.calls.dispatch({ caller: AGENT, tool: 'book__note', args: { text: 'x' }, ...other }),
        ).toMatchObject({
          problem: { about: { rules: 'repetition.rejected' } },
        })
      const bob = { ...AGENT, user: 'bob' }
      expect(await call('book__note', { text: 'x' }, { caller: bob })).toMatchObject({ status: 'pending' })
      expect(effects()).toEqual([])
    })
  })

  test('is also blocked if its arguments differ only invisibly, and held if they differ visibly', async () => {
    await withGate(async ({ gate, call }) => {
      const held = pendingOf(await call('book__note', { text: 'pay 100 to Bob' }))
      await gate.approvals.decide(APPROVER, held.approval_id, { says: 'deny', reason: 'never' })
      const same = [
        'pay 100 to Bob ',
        ' pay 100 to Bob',
        'pay  100 to Bob',
        'pay 100 to\nBob',
        'pay 100 to\u00a0Bob',
        'pay 100 to B\u200bob',
        'pay 100 to Bob\u{e0041}',
        'pay 100 to \u202eBob',
        'pay １００ to Bob',
        'pay 100 to Bob\ufe0f',
      ]
      for (const text of same)
        expect(await call('book__note', { text }), JSON.stringify(text)).toMatchObject({
          status: 'refused',
          problem: { about: { rules: 'repetition.rejected', says: expect.stringContaining('never') } },
        })
      for (const text of ['pay 100 to bob', 'pay 1000 to Bob', 'pay 100 toBob'])
        expect(await call('book__note', { text }), text).toMatchObject({ status: 'pending' })
      const spaced = pendingOf(await call('book__note', { text: 'a  b' }))
      await gate.approvals.decide(APPROVER, spaced.approval_id, { says: 'deny' })
      expect(await call('book__note', { text: 'a b' })).toMatchObject({ status: 'refused' })
    })
  })

  test('through a token in the thread is blocked as well', async () => {
    await withGate(async ({ gate, call }) => {
      const { approval_id } = pendingOf(await call('book__note', { text: 'x' }))
      const token = await gate.approvals.issueToken(USER, approval_id)
      if (!token.ok) throw new Error(token.problem.code)
      await gate.approvals.redeemToken(USER, { approval_id, token: token.value, thread: 't1', says: 'deny' })
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'refused' })
    })
  })

  test('does not affect an equal call that was pending at the same time and was approved', async () => {
    await withGate(async ({ gate, call, outcome, effects }) => {
      const [first, second] = [await call('book__note', { text: 'x' }), await call('book__note', { text: 'x' })].map(
        pendingOf,
      )
      if (first === undefined || second === undefined) throw new Error('two held calls are needed')
      await gate.approvals.decide(APPROVER, first.approval_id, { says: 'deny' })
      await approveShown(gate, SECOND, second.approval_id)
      expect(await outcome(second.call_id)).toMatchObject({ status: 'executed' })
      expect(effects()).toHaveLength(1)
    })
  })

  test('does not block the call that an approver edited', async () => {
    await withGate(async ({ gate, call }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      const edited = await gate.approvals.edit(APPROVER, held.approval_id, { text: 'y' })
      if (!edited.ok) throw new Error(edited.problem.code)
      await gate.approvals.decide(APPROVER, edited.value.approval_id, { says: 'deny' })
      expect(await call('book__note', { text: 'y' })).toMatchObject({ status: 'refused' })
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'pending' })
    })
  })
})

test('a rejection expires after the configured time', async () => {
  await withGate(
    async ({ gate, call }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      const before = Date.now()
      await gate.approvals.decide(APPROVER, held.approval_id, { says: 'deny' })
      const again = await call('book__note', { text: 'x' })
      // On a busy machine the second can be over already.
      if (Date.now() - before < 1_000) expect(again).toMatchObject({ status: 'refused' })
      await until(async () => (await call('book__note', { text: 'x' })).status === 'pending')
    },
    { config: { repetition: { denied_for: '1s', most: 1000 } } },
  )
})

describe('a loop', () => {
  test('of calls with effects is held from the fifth call on, also under other thread names', async () => {
    await withGate(async ({ gate, call, outcome }) => {
      const write = (more = {}) => call('book__note_again', { text: 'here' }, more)
      for (let times = 1; times <= 4; times += 1)
        expect(await write({ thread: `t${times}` })).toMatchObject({ status: 'executed' })
      const held = pendingOf(await write({ thread: 'a fresh name' }))
      expect(held.evidence).toMatchObject([{ effect: 'allow' }, { rule: 'repetition.loop', strength: 'simple' }])
      expect(await call('book__note_again', { text: 'there' })).toMatchObject({ status: 'executed' })
      expect(await write({ caller: { ...AGENT, user: 'bob' } })).toMatchObject({ status: 'executed' })
      await approveShown(gate, APPROVER, held.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })
    })
  })

  test('of reads is reported to the model from the fifth on, and held from the fiftieth on', async () => {
    await withGate(async ({ call }) => {
      const look = () => call('book__look', { where: 'here' })
      for (let times = 1; times <= 49; times += 1) {
        const outcome = await look()
        expect([times, outcome]).toMatchObject([times, { status: 'executed' }])
        expect('hint' in outcome).toBe(times >= 5)
      }
      expect(pendingOf(await look()).evidence).toMatchObject([{ effect: 'allow' }, { rule: 'repetition.loop' }])
    })
  })

  test('has the limits that the operator sets', async () => {
    await withGate(
      async ({ call }) => {
        expect(await call('book__note_again', { text: 'x' })).toMatchObject({ status: 'executed' })
        expect(await call('book__note_again', { text: 'x' })).toMatchObject({ status: 'pending' })
      },
      { config: { repetition: { most: 2 } } },
    )
  })
})
