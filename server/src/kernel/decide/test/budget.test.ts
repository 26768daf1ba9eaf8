import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../contract/call.ts'
import { ADMIN, AGENT, APPROVER, pendingOf, withGate, approveShown } from '../../../../test/helpers/with-gate.ts'

const many = <T>(count: number, make: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))
const tally = (outcomes: readonly Outcome[]) => {
  const count = (is: string) =>
    outcomes.filter((one) => ('problem' in one && one.problem !== undefined ? one.problem.code : one.status) === is)
      .length
  return { executed: count('executed'), over: count('call.over_budget'), all: outcomes.length }
}

describe('a budget', () => {
  test('lets exactly as many concurrent calls through as it has, and the others get the time when it is available again', async () => {
    const budgets = [{ id: 'notes', match: { tool: 'book__note_*' }, calls: 7, per: 'day' }]
    await withGate(
      async ({ call, effects }) => {
        const outcomes = await many(30, (at) => call('book__note_again', { text: `${at}` }))
        expect(tally(outcomes)).toEqual({ executed: 7, over: 23, all: 30 })
        expect(effects()).toHaveLength(7)
        const refused = outcomes.find((one) => one.status === 'refused')
        expect(refused).toMatchObject({
          problem: {
            code: 'call.over_budget',
            about: {
              rules: 'budget.notes',
              frees_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/) as string,
            },
          },
        })
        expect(await call('book__look')).toMatchObject({ status: 'executed' })
      },
      { config: { budgets } },
    )
  })

  test('is charged when a held call starts, not when it is held', async () => {
    const budgets = [{ id: 'notes', match: { tool: 'book__note' }, calls: 2, per: 'run' }]
    await withGate(
      async ({ gate, call, outcome, effects }) => {
        const held = (await many(5, (at) => call('book__note', { text: `${at}` }))).map(pendingOf)
        await many(5, (at) => approveShown(gate, APPROVER, held[at]?.approval_id ?? ''))
        const outcomes = await many(5, (at) => outcome(held[at]?.call_id ?? ''))
        expect(tally(outcomes)).toEqual({ executed: 2, over: 3, all: 5 })
        expect(effects()).toHaveLength(2)
        expect(await call('book__note', { text: 'late' })).toMatchObject({ problem: { code: 'call.over_budget' } })
        expect(await call('book__note', { text: 'late' }, { thread: 't2' })).toMatchObject({ status: 'pending' })
      },
      { config: { budgets } },
    )
  })

  test('that is only observed never becomes negative, and stops no call', async () => {
    const budgets = [{ id: 'notes', calls: 2, per: 'run' }]
    await withGate(
      async ({ call }) => {
        const outcomes = await many(5, (at) => call('book__note_again', { text: `${at}` }))
        expect(tally(outcomes)).toEqual({ executed: 5, over: 0, all: 5 })
      },
      { config: { budgets }, policy: 'preset: observe' },
    )
  })

  test('is not reported as the reason to wait if another rule blocks the call', async () => {
    const budgets = [{ id: 'wipes', match: { tool: 'book__wipe' }, cost: 5, per: 'day' }]
    const tools = { wipe: { effects: ['destructive'], cost: 9 } }
    await withGate(
      async ({ call }) =>
        expect(await call('book__wipe', { text: 'x' }, { caller: ADMIN })).toMatchObject({
          problem: { code: 'call.blocked', about: { rules: 'no-wiping, budget.wipes' } },
        }),
      { config: { budgets }, server: { tools } },
    )
  })

  test('law: for all limits, costs and concurrent calls, as many calls run as fit, never more', async () => {
    const cases = Array.from({ length: 12 }, (_, at) => ({ thread: `law-${at}`, seed: at }))
    const sizes = fc.sample(
      fc.record({
        calls: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
        cost: fc.integer({ min: 1, max: 30 }),
        racers: fc.integer({ min: 1, max: 12 }),
      }),
      { numRuns: cases.length, seed: 20261115 },
    )
    const PRICE = 3
    const budgets = sizes.map(({ calls, cost }, at) => ({
      id: `law-${at}`,
      match: { thread: `law-${at}` },
      ...(calls === undefined ? {} : { calls }),
      cost,
      per: 'run',
    }))
    const tools = { note_again: { effects: ['write'], cost: PRICE }, look: { effects: ['read'], cost: 0 } }
    await withGate(
      async ({ call }) => {
        const results = await many(cases.length, (at) =>
          many(sizes[at]?.racers ?? 0, (racer) =>
            call('book__note_again', { text: `${at} ${racer}` }, { thread: `law-${at}` }),
          ),
        )
        for (const [at, { calls = Infinity, cost, racers }] of sizes.entries()) {
          const fits = Math.min(racers, calls, Math.floor(cost / PRICE))
          expect([at, tally(results[at] ?? [])]).toEqual([at, { executed: fits, over: racers - fits, all: racers }])
        }
      },
      { config: { budgets }, server: { tools } },
    )
  })

  test('counted per caller is separate for each caller', async () => {
    const budgets = [{ id: 'notes', each: ['caller'], calls: 1, per: 'run' }]
    await withGate(
      async ({ call }) => {
        const other = { caller: { ...AGENT, id: 'agent:b' } }
        const outcomes = await Promise.all([
          call('book__note_again', { text: '1' }),
          call('book__note_again', { text: '2' }, other),
        ])
        expect(tally(outcomes)).toEqual({ executed: 2, over: 0, all: 2 })
        expect(await call('book__note_again', { text: '3' }, other)).toMatchObject({ status: 'refused' })
      },
      { config: { budgets } },
    )
  })
})
