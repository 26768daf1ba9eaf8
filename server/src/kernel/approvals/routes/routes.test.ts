import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../../test/read-config.ts'
import type { Json } from '../../contract/json.ts'
import { callWith, toolWith } from '../../decide/neutral-facts.suite.ts'
import { chooseRoute, compileRoutes } from './routes.ts'

const stated = (approvals: unknown) => {
  const read = readConfig({ approvals, channels: { push: [{ name: 'pager', url: 'https://push.example/t' }] } })
  return read.ok ? read.value.approvals : String(read.problem.about['paths'])
}
const routesOf = (approvals: unknown) => {
  const read = stated(approvals)
  if (typeof read === 'string') throw new Error(read)
  return compileRoutes(read)
}

const GROUPS = { payments: ['ada', 'bob', 'cy'], 'on-call': ['dan'] }
const PAYING = {
  groups: GROUPS,
  routes: [
    { id: 'large', match: { tool: 's__*', amount: { at: '/amount', from: 1000 } }, group: 'payments', people: 2 },
    { id: 'small', match: { tool: 's__*' }, group: 'payments' },
  ],
}

describe('which route a call takes', () => {
  const routes = routesOf(PAYING)
  const idFor = (args: Json) => chooseRoute(routes, callWith(args), toolWith())?.id

  test('by amount, small or large, whatever its sign', () => {
    expect([idFor({ amount: 999.99 }), idFor({ amount: 1000 }), idFor({ amount: -1000 })]).toEqual([
      'small',
      'large',
      'large',
    ])
  })

  test('anything that is not a number below the limit takes the route of large amounts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (amount) => {
        const isSmall = typeof amount === 'number' && Math.abs(amount) < 1000
        expect(idFor({ amount: amount as Json })).toBe(isSmall ? 'small' : 'large')
      }),
    )
    expect(idFor({})).toBe('large')
    expect(idFor([])).toBe('large')
    expect(idFor({ Amount: 1 })).toBe('large')
    expect(idFor({ Amount: 5000, amount: 1 })).toBe('large')
  })

  test('one large amount among several fields is enough', () => {
    const two = routesOf({
      groups: GROUPS,
      routes: [{ id: 'a', match: { amount: { at: ['/net', '/gross'], from: 10 } }, group: 'payments' }],
    })
    expect(chooseRoute(two, callWith({ net: 1, gross: 11 }), toolWith())?.id).toBe('a')
    expect(chooseRoute(two, callWith({ net: 1, gross: 2 }), toolWith())).toBeUndefined()
  })

  test('without its own fields, by those that the pack of the server names', () => {
    const packed = routesOf({
      groups: GROUPS,
      routes: [{ id: 'a', match: { amount: { from: 10 } }, group: 'payments' }],
    })
    const idOf = (args: Json, amounts?: readonly string[]) =>
      chooseRoute(packed, callWith(args), { ...toolWith(), ...(amounts === undefined ? {} : { amounts }) })?.id
    expect([idOf({ sum: 11 }, ['/sum']), idOf({ sum: 9 }, ['/sum']), idOf({ sum: 9 })]).toEqual(['a', undefined, 'a'])
  })

  test('by effect, class, caller and server', () => {
    const by = (match: unknown) =>
      chooseRoute(routesOf({ routes: [{ id: 'r', match }] }), callWith({}), {
        ...toolWith({}, ['write', 'external']),
        risk: 'high',
      })?.id
    expect(by({ effects: 'external', risk: ['high', 'critical'], caller: 'agent:*', server: 's' })).toBe('r')
    expect(by({ effects: 'destructive' })).toBeUndefined()
    expect(by({ risk: 'low' })).toBeUndefined()
    expect(by({ caller: 'agent:b*' })).toBeUndefined()
    expect(by({ server: 'other' })).toBeUndefined()
  })
})

describe('contradictory routes are rejected', () => {
  test.each([
    ['an unknown group', { routes: [{ id: 'r', group: 'nobody' }] }, 'there is no group `nobody`'],
    ['a group by the name of an inherited field', { routes: [{ id: 'r', group: 'constructor' }] }, 'there is no group'],
    [
      'more people than the group has members',
      { groups: GROUPS, routes: [{ id: 'r', group: 'on-call', people: 2 }] },
      'has 1',
    ],
    ['a person listed twice', { groups: { g: ['ada', 'ada'] } }, 'the same person is listed twice'],
    [
      'an escalation to the same group',
      { groups: GROUPS, routes: [{ id: 'r', group: 'payments', escalation: { after: '1m', to: 'payments' } }] },
      'asked from the start',
    ],
    [
      'an escalation after the end',
      {
        groups: GROUPS,
        routes: [{ id: 'r', group: 'payments', expires: '10m', escalation: { after: '10m', to: 'on-call' } }],
      },
      'expires before that',
    ],
    ['an unknown channel', { routes: [{ id: 'r', channel: 'fax' }] }, 'there is no channel `fax`'],
    ['an invalid time', { routes: [{ id: 'r', expires: '15' }] }, 'write a time'],
    ['an unknown key', { routes: [{ id: 'r', aproval: 1 }] }, 'unknown key'],
    [
      'a route after a broader one',
      { routes: [{ id: 'all' }, { id: 'r', match: { tool: 's__t' } }] },
      'never reached: the route `all`',
    ],
    [
      'a strict route after a lenient one',
      { groups: GROUPS, routes: PAYING.routes.toReversed() },
      'never reached: the route `small`',
    ],
  ])('%s', (_, approvals, says) => {
    expect(stated(approvals)).toContain(says)
  })

  test('routes that only overlap are accepted', () => {
    const routes = [
      { id: 'a', match: { tool: 's__a*', risk: 'high' } },
      { id: 'b', match: { tool: 's__a*' } },
      { id: 'c', match: { caller: 'agent:?' }, channel: 'pager' },
      { id: 'd', match: { caller: 'agent:*' } },
    ]
    expect(typeof stated({ routes })).toBe('object')
  })
})
