import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../contract/run.ts'
import { heldCall, holdCall, parkCall, type HeldCall, type HeldCallEvent } from './held-call.ts'

const CALL = 'call_000000000000000000000000'
const MADE = { call_id: CALL, caller: { kind: 'agent', id: 'agent:a', user: 'ana' } } as const
const APPROVAL = 'auth_0000000000000000'
const waiting = holdCall(MADE, APPROVAL, 1000).state
const approved: RunEvent = { type: 'approval.approved', approval_id: APPROVAL }

const event = fc.oneof(
  fc.constant(approved),
  fc.constant<RunEvent>({ type: 'approval.approved', approval_id: 'auth_ffffffffffffffff' }),
  fc.constant<RunEvent>({ type: 'approval.edited', approval_id: 'auth_ffffffffffffffff', expires_at: 2000 }),
  fc.constant<RunEvent>({ type: 'approval.closed', outcome: 'denied' }),
  fc.constant<RunEvent>({ type: 'call.retried' }),
  fc.constant<RunEvent>({ type: 'call.settled' }),
  fc.constant<RunEvent>({ type: 'run.cancel', by: 'agent:a' }),
  fc.constant<RunEvent>({ type: 'effect.done', key: `${CALL}/withdraw`, outcome: 'refused' }),
  fc.record({
    type: fc.constant('effect.done'),
    key: fc.constant(`${CALL}/expire/${APPROVAL}`),
    outcome: fc.constantFrom('expired', 'approved', 'denied', 'edited', 'decided'),
  }),
  fc.constant<RunEvent>({ type: 'nobody knows this' }),
  fc.record({ type: fc.constant('effect.done'), outcome: fc.constantFrom('executed', 'unknown', 'refused') }),
  fc.record({ type: fc.constant('timer'), now: fc.constantFrom(0, 999, 1000, 5000) }),
)

/** Feeds events to the step and collects the effects; an ended run ignores further events. */
function play(start: HeldCall, events: readonly RunEvent[]) {
  let state = start
  const keys: string[] = []
  for (const one of events) {
    const step = heldCall.step(state, one as HeldCallEvent)
    keys.push(...step.effects.map(({ key }) => key))
    state = step.state
    if (step.ends !== undefined) break
  }
  return { state, keys }
}

describe('a held call', () => {
  test('law: whatever happens in any order, no effect is requested twice under one key', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { keys } = play(waiting, events)
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })

  test('law: it is resumed only after its own request was approved, or for a retry of a call with an unknown outcome', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const yeses = events.filter(({ type }) => type === 'approval.approved' || type === 'call.retried').length
        expect(play(waiting, events).keys.filter((key) => key.includes('/resume/')).length).toBeLessThanOrEqual(yeses)
      }),
    )
  })

  test('approving another request changes nothing', () => {
    expect(play(waiting, [{ ...approved, approval_id: 'auth_ffffffffffffffff' }])).toEqual({ state: waiting, keys: [] })
  })

  test('an edit makes it wait for the new request, and approving the old one no longer counts', () => {
    const edited: RunEvent = { type: 'approval.edited', approval_id: 'auth_ffffffffffffffff', expires_at: 2000 }
    expect(play(waiting, [edited, approved]).keys).toEqual([])
    expect(play(waiting, [edited, { ...approved, approval_id: 'auth_ffffffffffffffff' }]).keys).toEqual([
      `${CALL}/resume/1`,
    ])
  })

  test('a retry or a settlement that arrives while it is being resumed is not lost', () => {
    const unknown: RunEvent = { type: 'effect.done', key: `${CALL}/resume/1`, outcome: 'unknown' }
    const retried: RunEvent = { type: 'call.retried' }
    const both = [`${CALL}/resume/1`, `${CALL}/resume/2`]
    expect(play(waiting, [approved, unknown, retried])).toMatchObject({ keys: both, state: { phase: 'resuming' } })
    expect(play(waiting, [approved, retried, unknown])).toMatchObject({ keys: both, state: { phase: 'resuming' } })
    // The resumption itself found the retry, made it, and its outcome is known.
    const made = play(waiting, [approved, retried, { ...unknown, outcome: 'executed' }])
    expect(made).toMatchObject({ keys: [`${CALL}/resume/1`], state: { phase: 'ended' } })
    const again = play(waiting, [approved, retried, unknown, { ...unknown, key: `${CALL}/resume/2` }])
    expect(again).toMatchObject({ keys: both, state: { phase: 'ended' } })
    const { state } = play(waiting, [approved, { type: 'call.settled' }])
    expect(heldCall.step(state, unknown as HeldCallEvent)).toMatchObject({ ends: 'done', effects: [] })
  })

  test('a cancellation that arrives while it expires is not lost if an edit was faster than the expiry', () => {
    const due: RunEvent = { type: 'timer', now: 1000 }
    const cancel: RunEvent = { type: 'run.cancel', by: 'user:ana' }
    const edited: RunEvent = { type: 'approval.edited', approval_id: 'auth_ffffffffffffffff', expires_at: 2000 }
    const keys = [`${CALL}/expire/${APPROVAL}`, `${CALL}/withdraw`]
    expect(play(waiting, [due, cancel, edited])).toMatchObject({ keys, state: { phase: 'withdrawing' } })
    // Somebody approved it in time: the call runs, as with every cancellation after an approval.
    expect(play(waiting, [due, cancel, approved])).toMatchObject({ state: { phase: 'resuming' } })
  })

  test('it expires at its time and not before', () => {
    expect(play(waiting, [{ type: 'timer', now: 999 }]).keys).toEqual([])
    expect(play(waiting, [{ type: 'timer', now: 1000 }]).keys).toEqual([`${CALL}/expire/${APPROVAL}`])
  })

  test('a decision made before the expiry counts, whichever of the two events arrives first', () => {
    const timer: RunEvent = { type: 'timer', now: 1000 }
    const expired: RunEvent = { type: 'effect.done', key: `${CALL}/expire/${APPROVAL}`, outcome: 'approved' }
    const keys = [`${CALL}/expire/${APPROVAL}`, `${CALL}/resume/1`]
    for (const events of [
      [timer, approved, expired],
      [timer, expired, approved],
    ])
      expect(play(waiting, events)).toMatchObject({ keys, state: { phase: 'resuming' } })
    const edited: RunEvent = { type: 'approval.edited', approval_id: 'auth_ffffffffffffffff', expires_at: 2000 }
    for (const events of [
      [timer, edited, { ...expired, outcome: 'edited' }],
      [timer, { ...expired, outcome: 'edited' }, edited],
    ])
      expect(play(waiting, events).state).toEqual({
        ...waiting,
        approval_id: 'auth_ffffffffffffffff',
        expires_at: 2000,
      })
    const closed: RunEvent = { type: 'approval.closed', outcome: 'denied' }
    expect(play(waiting, [timer, closed, { ...expired, outcome: 'denied' }]).state.phase).toBe('ended')
    expect(play(waiting, [timer, { ...expired, outcome: 'expired' }]).state.phase).toBe('ended')
    // Earlier releases did not say which decision it was.
    expect(play(waiting, [timer, { ...expired, outcome: 'decided' }]).state.phase).toBe('ended')
  })

  test('a cancelled one is withdrawn and ends as cancelled, unless it was approved first', () => {
    const cancel: RunEvent = { type: 'run.cancel', by: 'agent:a' }
    const withdrawn: RunEvent = { type: 'effect.done', key: `${CALL}/withdraw`, outcome: 'refused' }
    expect(play(waiting, [cancel, cancel, withdrawn])).toMatchObject({
      keys: [`${CALL}/withdraw`],
      state: { phase: 'ended' },
    })
    const { state } = play(waiting, [cancel])
    expect(heldCall.step(state, withdrawn as HeldCallEvent)).toMatchObject({ ends: 'cancelled' })
    const late: RunEvent = { ...withdrawn, outcome: 'approved' }
    expect(play(waiting, [cancel, approved, late])).toMatchObject({
      keys: [`${CALL}/withdraw`, `${CALL}/resume/1`],
      state: { phase: 'resuming' },
    })
    // It is executing, so the call is not abandoned.
    expect(play(waiting, [approved, cancel])).toMatchObject({
      keys: [`${CALL}/resume/1`],
      state: { phase: 'resuming' },
    })
  })

  test('an unknown outcome leaves it open for a retry, any other outcome ends it', () => {
    const again: RunEvent = { type: 'call.retried' }
    expect(play(waiting, [approved, { type: 'effect.done', outcome: 'unknown' }, again]).keys).toHaveLength(2)
    expect(play(waiting, [approved, { type: 'effect.done', outcome: 'executed' }, again]).keys).toHaveLength(1)
    expect(play(parkCall(MADE).state, [again]).keys).toEqual([`${CALL}/resume/1`])
  })
})
