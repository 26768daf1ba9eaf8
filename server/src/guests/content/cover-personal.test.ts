import { describe, expect, test } from 'vitest'
import { decide } from '../../../test/judging.ts'
import { callWith, factOf, tool } from '../../kernel/consents/samples.suite.ts'
import type { Constraint } from '../../kernel/contract/consent.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { HASH, neutralFacts } from '../../kernel/decide/neutral-facts.suite.ts'
import { compilePolicy } from '../../kernel/policy/compile-policy.ts'
import { argRules } from './rules/built-in.suite.ts'
import { scanArgs } from './scan-args.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'policy.yaml' }, { digest: () => HASH })
if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
const careful = compiled.value
const facts = { ...neutralFacts(tool), now: 1000 }

describe('a consent and personal data', () => {
  const args = { to: 'bob', note: 'ask ana@corp.org' }
  const piiFacts = { ...facts, content: { ...facts.content, scan: scanArgs(args, argRules) } }
  const decided = (note: readonly Constraint[], given: Json = args) => {
    const what = { tool: 'mail__send', args: [{ path: '/to', op: 'any' as const }, ...note] }
    const scanned = { ...piiFacts, content: { ...facts.content, scan: scanArgs(given, argRules) } }
    return decide(careful, callWith(given), { ...scanned, consents: [factOf({ what })] }).effect
  }

  test('covers the field whose value it states, and no other', () => {
    expect(decided([{ path: '/note', op: 'equals', value: args.note }])).toBe('allow')
    expect(decided([{ path: '/note', op: 'in', value: ['x', args.note] }])).toBe('allow')
    expect(decided([{ path: '/note', op: 'prefix', value: 'ask ana@corp.org' }])).toBe('allow')
    expect(decided([{ path: '/note', op: 'prefix', value: 'ask ' }])).toBe('ask')
    // It permits the field, but nobody has seen the value.
    expect(decided([{ path: '/note', op: 'any' }])).toBe('ask')
    const two = { ...args, more: 'and carl@corp.org' }
    const note: Constraint = { path: '/note', op: 'equals', value: args.note }
    expect(decided([note, { path: '/more', op: 'any' }], two)).toBe('ask')
  })

  test('covers the items of a list that it states', () => {
    const list = { note: ['ana@corp.org', 'carl@corp.org'] }
    const choices: Constraint = { path: '/note', op: 'in', value: list.note }
    expect(decided([choices, { path: '/to', op: 'any' }], { ...list, to: 'bob' })).toBe('allow')
  })

  test('never covers a secret, nor arguments that could not be searched', () => {
    const secret = ['ghp', 'q7RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0AeUiO'].join('_')
    expect(decided([{ path: '/note', op: 'equals', value: secret }], { to: 'bob', note: secret })).toBe('ask')
    const consent = factOf({ what: { tool: 'mail__send', args: [{ path: '', op: 'any' }] } })
    const unknown = { ...facts, content: { ...facts.content, scan: 'unknown' as const }, consents: [consent] }
    expect(decide(careful, callWith(args), unknown).effect).toBe('ask')
  })
})
