import { expect, test } from 'vitest'
import { AGENT, USER, withGate } from '../../../../test/helpers/with-gate.ts'

const MINE = { idempotency_key: 'k/1:of%20mine' }

test('the outcome of a call is found by its idempotency key, and the lookup executes nothing', () =>
  withGate(async ({ gate, call, effects }) => {
    const outcome = await call('book__note_again', { text: 'x' }, MINE)
    expect(outcome.status).toBe('executed')
    const found = await gate.calls.readByKey(AGENT, MINE.idempotency_key)
    expect(found).toMatchObject({ ok: true, value: { status: 'executed' } })
    expect(effects()).toHaveLength(1)
  }))

test('an idempotency key belongs to its caller: others find nothing', () =>
  withGate(async ({ gate, call }) => {
    await call('book__note_again', { text: 'x' }, MINE)
    for (const caller of [USER, { ...AGENT, id: 'agent:b' }, { ...AGENT, user: 'bob' }])
      expect(await gate.calls.readByKey(caller, MINE.idempotency_key)).toMatchObject({
        problem: { code: 'call.unknown' },
      })
    expect(await gate.calls.readByKey(AGENT, 'another')).toMatchObject({ problem: { code: 'call.unknown' } })
  }))
