import { describe, expect, test } from 'vitest'
import { compileRules } from './compile-rules.ts'
import { findSensitive } from './find-sensitive.ts'
import { BUILT_IN_RULES } from './rules/built-in-rules.ts'

const EMPLOYEE = { id: 'employee', type: 'EMPLOYEE_ID', kind: 'pii', pattern: 'EMP-\\d{6}(?!\\d)' }

function compiled(...extra: unknown[]) {
  const result = compileRules(BUILT_IN_RULES, extra)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}

describe('compiling rules', () => {
  test('a configured rule is found along with the built-in ones', () => {
    const found = findSensitive('EMP-123456 wrote to a@b.org, not EMP-1234567', compiled(EMPLOYEE))
    expect(found.map(({ type, start, end }) => [type, start, end])).toEqual([
      ['EMPLOYEE_ID', 0, 10],
      ['EMAIL', 20, 27],
    ])
  })

  test('a rule with keywords runs only where one of them occurs', () => {
    const rules = compiled({ ...EMPLOYEE, keywords: ['acme'] })
    expect(findSensitive('EMP-123456', rules)).toEqual([])
    expect(findSensitive('EMP-123456 of ACME', rules)).toHaveLength(1)
  })

  test('a rule for values needs its keyword in the name', () => {
    const rules = compiled({ ...EMPLOYEE, at: 'value', keywords: ['badge'], pattern: '\\d{6}' })
    expect(findSensitive('badge_no = 123456', rules)).toHaveLength(1)
    expect(findSensitive('other_no = 123456', rules)).toEqual([])
  })

  test('a rule may name a check', () => {
    const rules = compiled({ ...EMPLOYEE, pattern: 'M\\d{8}', check: 'luhn' })
    expect(findSensitive('M12345674', rules)).toHaveLength(1)
    expect(findSensitive('M12345675', rules)).toEqual([])
  })

  test.each([
    ['an unbounded repeat', { pattern: 'x[a-z]+' }],
    ['nested repeats', { pattern: '(?:a{1,50}){1,50}b' }],
    ['repeats that share characters', { pattern: '\\w{1,90}\\w{1,90}\\w{1,90}!' }],
    ['a back reference', { pattern: '(a)\\1' }],
    ['an invalid pattern', { pattern: '(a' }],
    ['a pattern that matches the empty text', { pattern: 'a?' }],
    ['a missing group', { group: 2 }],
    ['a keyword rule without keywords', { at: 'keyword' }],
    ['a keyword that is not ASCII', { keywords: ['schlüssel'] }],
    ['an unknown field', { patern: 'a' }],
    ['an unknown check', { check: 'crc' }],
    ['a type that is not an upper-case word', { type: 'employee id' }],
    ['a duplicate id', { id: 'email' }],
  ])('%s rejects the whole set and names the rule', (_, change) => {
    const result = compileRules(BUILT_IN_RULES, [{ ...EMPLOYEE, ...change }])
    expect(result.ok).toBe(false)
    if (!result.ok) {
      expect(result.problem.code).toBe('config.invalid')
      expect(result.problem.about.path).toContain('id' in change ? change.id : 'employee')
    }
  })

  test('something that is not a rule is rejected', () => {
    for (const input of [null, 'a', 7, [], {}]) expect(compileRules([], [input]).ok).toBe(false)
  })
})
