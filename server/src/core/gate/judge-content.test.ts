import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../contract/json.ts'
import type { ContentSettings } from '../../contract/judgement.ts'
import type { ToolEffect } from '../../contract/tool.ts'
import { judgeContent } from './judge-content.ts'
import { compilePolicy } from './policy/compile-policy.ts'
import { callWith, quietFacts, strictness, toolWith } from './quiet-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value

// Put together at run time: no scanner of this repository should take them for leaks.
const SECRET = ['ghp', 'q7RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0AeUiO'].join('_')
const PII = ['4111', '1111', '1111', '1111'].join(' ')

function judge(args: Json, effects: readonly ToolEffect[] = ['write'], settings: Partial<ContentSettings> = {}) {
  const facts = quietFacts(toolWith({ body: {}, to: {}, list: {} }, effects))
  return judgeContent(policy, callWith(args), { ...facts, content: { ...facts.content, ...settings } })
}

describe('content', () => {
  test('that holds a secret is blocked, personal data is asked about, by type and place', () => {
    expect(judge({ body: `token: ${SECRET}`, list: ['x', `card ${PII}`] })).toMatchObject([
      { effect: 'block', rule: 'content.secret', says: expect.stringContaining('`/body`') as string },
      { effect: 'ask', strength: 'simple', rule: 'content.pii', says: expect.stringContaining('`/list/1`') as string },
    ])
  })

  test('is of no interest to a tool that only reads, and of interest to every other', () => {
    expect(judge({ body: SECRET }, ['read'])).toEqual([])
    for (const effect of ['write', 'external', 'destructive', 'privileged'] as const)
      expect(judge({ body: SECRET }, ['read', effect])).toMatchObject([{ effect: 'block' }])
  })

  test('is judged as the operator says', () => {
    expect(judge({ body: SECRET }, ['write'], { secrets: 'ask' })).toMatchObject([
      { effect: 'ask', strength: 'strong' },
    ])
    expect(judge({ body: SECRET }, ['write'], { secrets: 'off' })).toEqual([])
    expect(judge({ body: PII }, ['write'], { pii: 'off' })).toEqual([])
    expect(judge({ body: `${PII} ${SECRET}` }, ['write'], { pii: 'off', secrets: 'off' })).toEqual([])
  })

  test('law: no opinion repeats what it found, wherever that stands, also as the name of a field', () => {
    const place = fc.constantFrom<(text: string) => Json>(
      (text) => ({ body: text }),
      (text) => ({ [text]: 'x' }),
      (text) => ({ list: [[{ deep: { [text]: text } }]] }),
    )
    fc.assert(
      fc.property(place, fc.constantFrom(SECRET, PII), (put, text) => {
        const opinions = judge(put(`${text} `))
        expect(opinions.length).toBeGreaterThan(0)
        expect(JSON.stringify(opinions)).not.toContain(text.slice(0, 12))
      }),
    )
  })

  test('law: more content never loosens', () => {
    const text = fc.constantFrom('hello', SECRET, PII, `key=${SECRET}`)
    fc.assert(
      fc.property(fc.array(text), text, (some, more) => {
        expect(strictness(judge({ list: [...some, more] }))).toBeGreaterThanOrEqual(strictness(judge({ list: some })))
      }),
      { numRuns: 40 },
    )
  })
})
