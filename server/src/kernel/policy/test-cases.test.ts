import { describe, expect, test } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import { spellFault } from './policy-faults.ts'
import { runCases } from './test-cases.ts'

const digest = () => 'v'
const POLICY = `
rules:
  - id: outside
    effect: ask
    strength: strong
    match: { tool: mail__send }
    when: '!args.to.endsWith("@example.com")'
    says: the mail leaves the house
  - id: inside
    effect: allow
    match: { tool: mail__send }
    when: args.to.endsWith("@example.com")
    says: the mail stays in the house
`
const tools = (id: string) =>
  id === 'mail__send' ? { effects: ['external'] as const, risk: 'high' as const } : undefined

function run(text: string) {
  const policy = compilePolicy({ text: POLICY, file: 'p.yaml' }, { digest })
  if (!policy.ok) throw new Error(JSON.stringify(policy.faults))
  return runCases({ text, file: 'c.yaml' }, { digest, policy: policy.value, tools })
}
const results = (text: string) => {
  const ran = run(text)
  if (!ran.ok) throw new Error(ran.faults.map(spellFault).join('\n'))
  return ran.results
}
const faults = (text: string) => {
  const ran = run(text)
  return ran.ok ? [] : ran.faults.map(spellFault)
}

describe('runCases', () => {
  test('a case passes when effect, strength and rule are the expected ones', () => {
    const [inside, outside] = results(`
- name: mail to the house goes
  tool: mail__send
  call: { args: { to: ann@example.com } }
  verdict: allow
- name: mail to others is asked about
  tool: mail__send
  call: { args: { to: eve@elsewhere.org } }
  verdict: { effect: ask, strength: strong, rule: outside }
`)
    expect(inside).toMatchObject({ passed: true, source: 'c.yaml:2', answer: { effect: 'allow', rules: ['inside'] } })
    expect(outside).toMatchObject({ passed: true, source: 'c.yaml:6' })
  })

  test.each([
    ['effect', 'allow'],
    ['strength', '{ effect: ask, strength: simple }'],
    ['rule', '{ effect: ask, rule: inside }'],
  ])('a case with the wrong %s fails and shows what was answered', (_what, verdict) => {
    const [result] = results(`
- name: x
  tool: mail__send
  call: { args: { to: eve@elsewhere.org } }
  verdict: ${verdict}
`)
    expect(result).toMatchObject({ passed: false, answer: { effect: 'ask', strength: 'strong', rules: ['outside'] } })
  })

  test('a tool, a caller and facts can be stated, and a policy in the case replaces the other', () => {
    const [result] = results(`
- name: nobody deletes at night
  policy:
    rules:
      - { id: night, effect: block, match: { role: user, lane: fast }, when: time.hour < 6 && "mail" in labels, says: x }
  tool: { id: files__delete, effects: [destructive], risk: high }
  caller: { id: user:bob, role: user, user: bob }
  facts: { now: 2026-01-31T05:59Z, lane: fast, labels: [mail] }
  verdict: { effect: block, rule: night }
`)
    expect(result?.passed).toBe(true)
    expect(result?.opinions[0]?.source).toBe('c.yaml:5')
  })

  test.each([
    [
      'something other than a list',
      'name: x',
      'c.yaml:1:1: the file: must be a list; see docs/policy.md for the format of a case',
    ],
    [
      'an unknown tool',
      '- { name: x, tool: files__read, verdict: allow }',
      'c.yaml:1:20: the tool `files__read` is not in the catalogue; write `{ id: server__tool, effects: [read], risk: low }`',
    ],
    [
      'an unknown key',
      '- { name: x, tool: mail__send, verdict: allow, expect: allow }',
      'c.yaml:1:48: unknown key `expect`; leave it out, or see docs/policy.md for the keys of a case',
    ],
    [
      'an unknown verdict',
      '- { name: x, tool: mail__send, verdict: maybe }',
      'c.yaml:1:41: `verdict`: must be one of allow, ask, block; see docs/policy.md for the format of a case',
    ],
    [
      'a faulty policy',
      '- { name: x, tool: mail__send, verdict: allow, policy: { preset: carefull } }',
      'c.yaml:1:66: `carefull` is not a known value for `preset`; write one of `observe`, `careful`, `strict`; did you mean `careful`?',
    ],
  ])('%s: no case is run, and the fault has a position', (_what, text, fault) => {
    expect(faults(text)).toEqual([fault])
  })
})
