import { describe, expect, test } from 'vitest'
import type { Opinion } from '../contract/verdict.ts'
import { compilePolicy } from './compile-policy.ts'
import { callFrom } from './described-call.ts'
import { judgePolicy } from './judge-policy.ts'
import type { Policy } from './policy.ts'
import { type RecordedCall, replayPolicy } from './replay.ts'

function policyOf(text: string): Policy {
  const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest: () => 'v' })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}

function recorded(call_id: string, policy: Policy, amount: number, others: readonly Opinion[] = []): RecordedCall {
  const described = { effects: ['write'], risk: 'medium', caller: 'agent:a', role: 'agent', user: 'ann' } as const
  const { call, facts } = callFrom({ ...described, tool: 'bank__pay', args: { amount } })
  return { call_id, call, facts, evidence: [...others, ...judgePolicy(policy, call, facts)] }
}

const other = (decider: string, effect: Opinion['effect']): Opinion => ({
  decider,
  effect,
  rule: `${decider}.x`,
  says: 'x',
  source: 'x',
  at: 0,
})

const THEN = policyOf('preset: careful')
const DRAFT = policyOf(`
rules:
  - { id: small, effect: allow, match: { tool: bank__pay }, when: args.amount <= 10, says: x }
  - { id: big, effect: block, match: { tool: bank__pay }, when: args.amount > 100, says: x }
`)

describe('replayPolicy', () => {
  test('lists the calls that a draft would answer differently, and how', () => {
    const calls = [recorded('c1', THEN, 5), recorded('c2', THEN, 50), recorded('c3', THEN, 500)]
    const { judged, changes, sums } = replayPolicy(calls, DRAFT)
    expect(judged).toBe(3)
    expect(changes.map(({ call_id, way, from, to }) => [call_id, way, from.effect, to.effect, ...to.rules])).toEqual([
      ['c1', 'looser', 'ask', 'allow', 'small'],
      ['c3', 'stricter', 'ask', 'block', 'big'],
    ])
    expect(sums).toEqual({ 'ask → allow': 1, 'ask → block': 1 })
  })

  test('a change of strength is a change', () => {
    const draft = policyOf('rules: [{ id: a, effect: ask, strength: strong, says: x }]')
    expect(replayPolicy([recorded('c1', THEN, 5)], draft).changes[0]).toMatchObject({
      way: 'stricter',
      from: { strength: 'simple' },
      to: { strength: 'strong' },
    })
  })

  test('recorded opinions of other deciders still count', () => {
    const { changes } = replayPolicy([recorded('c1', THEN, 5, [other('content', 'block')])], DRAFT)
    expect(changes).toEqual([])
  })

  test('an approval does not make the recorded answer looser', () => {
    const { changes } = replayPolicy([recorded('c1', THEN, 5, [other('approval', 'allow')])], THEN)
    expect(changes).toEqual([])
  })

  test('replaying the original policy changes nothing', () => {
    expect(replayPolicy([recorded('c1', DRAFT, 5), recorded('c2', DRAFT, 500)], DRAFT).changes).toEqual([])
  })
})
