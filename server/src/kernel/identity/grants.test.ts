import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Caller } from '../contract/caller.ts'
import { matchesGlob, parseGlob } from '../policy/glob.ts'
import { globCovers, grantsAtLeast, mayContinue, mayReadWorkOf } from './grants.ts'

const key = 'key_0000000000000000'
const agent = (more: Partial<Caller> = {}): Caller => ({ kind: 'agent', id: 'agent:a', user: 'ana', ...more })
const tools = (...globs: string[]) => agent({ grant: { key, tools: globs } })
const calls = (count: number) => agent({ grant: { key, calls: count } })

test.each<[string, Caller, Caller, boolean]>([
  ['no limit, none', agent(), agent(), true],
  ['no limit, some', agent(), tools('a__*'), true],
  ['some, no limit', tools('a__*'), agent(), false],
  ['every tool by a glob, no limit', tools('*'), agent(), false],
  ['the same tools', tools('a__*', 'b__c'), tools('b__c', 'a__*'), true],
  ['a wider glob', tools('a__*'), tools('a__b', 'a__c*'), true],
  ['one tool missing', tools('a__*'), tools('a__b', 'b__b'), false],
  ['fewer calls', calls(1), calls(2), false],
  ['as many calls', calls(2), calls(2), true],
  ['a number of calls, no limit', calls(2), agent(), false],
  ['does not speak for its user', agent(), agent({ speaks_for_user: true }), false],
  ['speaks for its user', agent({ speaks_for_user: true }), agent(), true],
  ['a lower role in flows', agent(), agent({ flow_role: 'editor' }), false],
  ['a higher role in flows', agent({ flow_role: 'admin' }), agent({ flow_role: 'editor' }), true],
  ['another vault', agent({ vault: 'one' }), agent({ vault: 'two' }), false],
  ['one vault, any', agent({ vault: 'one' }), agent(), false],
  ['any vault, one', agent(), agent({ vault: 'one' }), true],
  ['another kind', agent({ kind: 'node' }), agent(), false],
])('%s: at least what the other grants is %s', (_, one, other, expected) => {
  expect(grantsAtLeast(one, other)).toBe(expected)
})

test('the name alone continues nothing, and neither does the grant alone', () => {
  expect(mayContinue(agent(), tools('a'))).toBe(true)
  expect(mayContinue(tools('a'), agent())).toBe(false)
  expect(mayContinue(agent({ user: 'bob' }), agent())).toBe(false)
  expect(mayContinue(agent({ id: 'agent:b' }), agent())).toBe(false)
})

test('people read what was made in their name, as far as their own key grants its tools', () => {
  const ana: Caller = { kind: 'user', id: 'user:ana', user: 'ana' }
  expect(mayReadWorkOf(ana, agent({ flow_role: 'editor' }))).toBe(true)
  expect(mayReadWorkOf({ ...ana, grant: { key, tools: ['a'] } }, agent())).toBe(false)
  expect(mayReadWorkOf({ ...ana, user: 'bob' }, agent())).toBe(false)
  expect(mayReadWorkOf({ ...ana, kind: 'approver', user: 'bob' }, agent())).toBe(true)
  expect(mayReadWorkOf(agent({ id: 'agent:b' }), agent())).toBe(false)
})

const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })

test('law: a glob that covers another one matches every name that the other one matches', () => {
  fc.assert(
    fc.property(glob, glob, name, (wide, narrow, one) => {
      fc.pre(globCovers(wide, narrow) && matchesGlob(parseGlob(narrow), one))
      expect(matchesGlob(parseGlob(wide), one)).toBe(true)
    }),
  )
})

test('law: a glob covers itself, and `*` covers every glob', () => {
  fc.assert(
    fc.property(glob, (one) => {
      expect(globCovers(one, one)).toBe(true)
      expect(globCovers('*', one)).toBe(true)
    }),
  )
})

test('long globs of hostile stars are compared in time', () => {
  expect(globCovers(`${'*a'.repeat(60)}b`, `${'a*'.repeat(60)}c`)).toBe(false)
})
