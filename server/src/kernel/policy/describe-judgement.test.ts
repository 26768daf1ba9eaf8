import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Caller } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import { tool } from '../consents/samples.suite.ts'
import { compilePolicy } from './compile-policy.ts'
import { describeJudgement } from './describe-judgement.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const AGENT: Caller = { kind: 'agent', id: 'agent:a', user: 'ann' }
const SEND: Tool = { ...tool, tags: [] }

const asked = (policy: string, tool: Tool = SEND) => {
  const compiled = compilePolicy({ text: policy, file: 'p.yaml' }, { digest })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return describeJudgement(compiled.value, AGENT, tool)
}
const rules = (...list: string[]) => `rules:\n${list.map((rule, at) => `  - { id: r${at}, ${rule} }`).join('\n')}`
const PRESET = 'held (simple): it changes a message, so a person decides'

test.each([
  ['the preset answers', '{}', PRESET],
  ['a rule lets it run', rules('effect: allow, says: fine'), 'runs: fine'],
  ['two people', rules('effect: ask, strength: two_person, says: dear'), 'held (two people): dear'],
  ['the strictest of several', rules('effect: allow, says: fine', 'effect: ask, says: hm'), 'held (simple): hm'],
  ['never', rules('effect: block, says: no'), 'blocked: no'],
  [
    'a rule that may be stricter',
    rules('effect: ask, strength: strong, when: "args.n > 1 && time.hour > 17", says: much and late'),
    `${PRESET}; or, depending on the arguments and the time, held (strong): much and late`,
  ],
  [
    'a rule that may be looser, instead of the preset',
    rules('effect: allow, when: args.n < 1, says: little'),
    `${PRESET}; or, depending on the arguments, runs: little`,
  ],
  [
    'a looser rule that may apply changes nothing next to a certain one',
    rules('effect: ask, says: always', 'effect: allow, when: args.n < 1, says: little'),
    'held (simple): always',
  ],
  ['observe', 'preset: observe', 'runs: the gate only observes'],
])('%s', (_, policy, says) => {
  expect(asked(policy)).toBe(says)
})

test('a tool that nobody admitted is asked about, whatever the policy says', () => {
  const { admitted: _, ...row } = SEND.row
  const says = 'held (strong): the tool is new and has not been admitted'
  expect(asked(rules('effect: allow, says: fine'), { ...SEND, row })).toBe(says)
})

test.each<[string, Partial<Tool>, string]>([
  [
    'careful',
    { effects: ['external'], risk: 'high' },
    'held (strong): it sends a message, so a person must confirm it explicitly',
  ],
  [
    'strict',
    { effects: ['external'], risk: 'high' },
    'held (strong): it sends a message, so a person must confirm it explicitly',
  ],
  ['strict', {}, 'held (simple): it changes a message, so a person decides'],
  ['strict', { effects: ['read'], risk: 'low' }, 'held (simple): it reads without a sandbox, so a person decides'],
  [
    'careful',
    { effects: ['privileged'], risk: 'critical' },
    'held (two people): it uses special privileges, so two people decide',
  ],
])('the preset %s names the effect of this tool, not everything that its rule covers', (preset, changes, says) => {
  expect(asked(`preset: ${preset}`, { ...SEND, ...changes })).toBe(says)
})

test('the words of an operator`s rule stay as they are, whatever its id', () => {
  const policy = 'rules:\n  - { id: careful.medium, effect: ask, says: ours }'
  expect(asked(policy)).toBe('held (simple): ours')
})

test('a condition is never shown', () => {
  expect(asked(rules('effect: block, when: args.amount > 12345, says: too much'))).not.toContain('12345')
})
