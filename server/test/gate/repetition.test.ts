import { describe, expect, test } from 'vitest'
import { APPROVER, pendingOf, SECOND, USER, withGate } from './with-gate.ts'

describe('a call that a person rejected', () => {
  test('is blocked when it is made again in this thread, however often, and asked about in another', async () => {
    await withGate(async ({ gate, call, effects }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      await gate.decideApproval(APPROVER, held.approval_id, { says: 'deny' })
      for (let again = 0; again < 8; again += 1)
        expect(await call('book__note', { text: 'x' })).toMatchObject({
          status: 'refused',
          problem: { about: { rules: 'repetition.rejected' } },
        })
      expect(await call('book__note', { text: 'y' })).toMatchObject({ status: 'pending' })
      expect(await call('book__note', { text: 'x' }, { thread: 't2' })).toMatchObject({ status: 'pending' })
      expect(effects()).toEqual([])
    })
  })

  test('by a token in the thread is rejected just as well', async () => {
    await withGate(async ({ gate, call }) => {
      const { approval_id } = pendingOf(await call('book__note', { text: 'x' }))
      const token = await gate.issueToken(USER, approval_id)
      if (!token.ok) throw new Error(token.problem.code)
      await gate.redeemToken(USER, { approval_id, token: token.value, thread: 't1', says: 'deny' })
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'refused' })
    })
  })

  test('takes nothing from an equal one that waited beside it and got a yes of its own', async () => {
    await withGate(async ({ gate, call, outcome, effects }) => {
      const [first, second] = [await call('book__note', { text: 'x' }), await call('book__note', { text: 'x' })].map(
        pendingOf,
      )
      if (first === undefined || second === undefined) throw new Error('two held calls')
      await gate.decideApproval(APPROVER, first.approval_id, { says: 'deny' })
      await gate.decideApproval(SECOND, second.approval_id, { says: 'approve' })
      expect(await outcome(second.call_id)).toMatchObject({ status: 'executed' })
      expect(effects()).toHaveLength(1)
    })
  })

  test('is not the one an approver made of it', async () => {
    await withGate(async ({ gate, call }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      const edited = await gate.editApproval(APPROVER, held.approval_id, { text: 'y' })
      if (!edited.ok) throw new Error(edited.problem.code)
      await gate.decideApproval(APPROVER, edited.value.approval_id, { says: 'deny' })
      expect(await call('book__note', { text: 'y' })).toMatchObject({ status: 'refused' })
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'pending' })
    })
  })
})

describe('a loop', () => {
  test('is asked about from the fifth equal call on, in its thread alone', async () => {
    await withGate(async ({ gate, call, outcome }) => {
      const look = (more = {}) => call('book__look', { where: 'here' }, more)
      for (let times = 1; times <= 4; times += 1) expect(await look()).toMatchObject({ status: 'executed' })
      const held = pendingOf(await look())
      expect(held.evidence).toMatchObject([{ effect: 'allow' }, { rule: 'repetition.loop', strength: 'simple' }])
      expect(await look({ thread: 't2' })).toMatchObject({ status: 'executed' })
      expect(await call('book__look', { where: 'there' })).toMatchObject({ status: 'executed' })
      await gate.decideApproval(APPROVER, held.approval_id, { says: 'approve' })
      expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })
    })
  })

  test('is what the operator says', async () => {
    await withGate(
      async ({ call }) => {
        expect(await call('book__look')).toMatchObject({ status: 'executed' })
        expect(await call('book__look')).toMatchObject({ status: 'pending' })
      },
      { config: { repetition: { most: 2 } } },
    )
  })
})
