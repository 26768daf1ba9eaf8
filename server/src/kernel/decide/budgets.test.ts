import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget } from '../contract/budgets.ts'
import { callWith } from './neutral-facts.suite.ts'
import { compileBudget, chargesFor } from './budgets.ts'

const HOUR = 3_600_000
const charges = (budget: object, call = callWith({}), cost = 1, now = 0) =>
  chargesFor([compileBudget(Budget.parse({ id: 'b', per: 'hour', calls: 10, ...budget }))], call, cost, now)
const accounts = (budget: object, call = callWith({}), now = 0) =>
  charges(budget, call, 1, now).map(({ account }) => account)

const other = callWith(
  {},
  { caller: { kind: 'agent', id: 'agent:b', user: 'bob' }, tool_id: 'r__u', server: 'r', thread: 't2' },
)

describe('a budget', () => {
  test("takes one unit per call and the tool's cost, each from a separate account", () => {
    expect(charges({ calls: 3, cost: 50 }, callWith({}), 7)).toMatchObject([
      { measure: 'calls', limit: 3, needs: 1 },
      { measure: 'cost', limit: 50, needs: 7 },
    ])
    expect(new Set(accounts({ calls: 3, cost: 50 })).size).toBe(2)
    expect(charges({ calls: undefined, cost: 50 }, callWith({}), 0)).toEqual([])
  })

  test('applies to calls that match every given pattern', () => {
    for (const match of [{ caller: 'agent:*' }, { tool: ['x', 's__?'] }, { server: 's' }, { thread: 't1' }, {}])
      expect(charges({ match })).toHaveLength(1)
    for (const match of [{ caller: 'user:*' }, { tool: 's__' }, { server: 's', thread: 't2' }])
      expect(charges({ match })).toEqual([])
  })

  test('is shared by all calls it applies to, unless they are counted separately', () => {
    expect(accounts({})).toEqual(accounts({}, other))
    for (const each of ['caller', 'user', 'tool', 'server', 'thread'])
      expect(accounts({ each: [each] })).not.toEqual(accounts({ each: [each] }, other))
    expect(accounts({ each: ['tool'] })).toEqual(accounts({ each: ['tool'] }, { ...other, tool_id: 's__t' }))
    expect(accounts({ each: ['caller', 'tool'] })).toEqual(accounts({ each: ['tool', 'caller'] }))
  })

  test('starts a new account for each period, and names the end of the current one', () => {
    expect(charges({}, callWith({}), 1, 5 * HOUR + 1)).toMatchObject([{ frees_at: 6 * HOUR }])
    expect(accounts({}, callWith({}), 5 * HOUR)).toEqual(accounts({}, callWith({}), 6 * HOUR - 1))
    expect(accounts({}, callWith({}), 5 * HOUR)).not.toEqual(accounts({}, callWith({}), 6 * HOUR))
  })

  test("of a run belongs to one user's thread, and has no end", () => {
    const run = { per: 'run' }
    expect(charges(run)[0]).not.toHaveProperty('frees_at')
    expect(accounts(run, callWith({}), 0)).toEqual(accounts(run, callWith({}), 9 * HOUR))
    expect(accounts(run)).not.toEqual(accounts(run, callWith({}, { thread: 't2' })))
    expect(accounts(run)).not.toEqual(accounts(run, { ...other, thread: 't1' }))
  })

  test('law: calls share an account exactly when they agree on everything that is counted separately', () => {
    const name = fc.constantFrom('a', 'b', 'a b', '["a"]', 'a,b', '')
    const calls = fc.record({ thread: name, tool_id: name, server: name, id: name, user: name })
    const each = fc.subarray(['caller', 'user', 'tool', 'server', 'thread'] as const)
    fc.assert(
      fc.property(calls, calls, each, (one, two, apart) => {
        const [left, right] = [one, two].map(({ thread, tool_id, server, id, user }) => ({
          call: callWith({}, { thread, tool_id, server, caller: { kind: 'agent', id, user } }),
          // Two users' agents may have the same name, and threads belong to a caller.
          key: {
            caller: JSON.stringify([id, user]),
            user,
            tool: tool_id,
            server,
            thread: JSON.stringify([id, user, thread]),
          },
        }))
        if (left === undefined || right === undefined) throw new Error('two calls')
        const isSame = apart.every((field) => left.key[field] === right.key[field])
        const [a] = accounts({ each: apart }, left.call)
        const [b] = accounts({ each: apart }, right.call)
        expect(a === b).toBe(isSame)
      }),
    )
  })
})
