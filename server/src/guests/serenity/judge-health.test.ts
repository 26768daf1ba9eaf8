import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallerKind } from '../../kernel/contract/caller.ts'
import type { Call } from '../../kernel/contract/call.ts'
import { TOOLFLOW_VERDICTS } from './api.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { HealthFact } from './health-fact.ts'
import { judgeHealth } from './judge-health.ts'
import { compilePolicy } from '../../kernel/policy/compile-policy.ts'
import { callWith, neutralFacts, strictness } from '../../kernel/decide/neutral-facts.suite.ts'

const MINUTE = 60_000
const NOW = 1_000 * MINUTE
const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the default policy compiles')
const policy = compiled.value

const healthy = (more: Partial<HealthFact> = {}): HealthFact => ({
  newest: { is: 'known', score: 95, at: NOW, source: 'trinity_health_1.json' },
  max_age_ms: 60 * MINUTE,
  risk: { score: 'unknown', source: 'no risk provider' },
  ...more,
})
const scored = (score: number, at = NOW): HealthFact =>
  healthy({ newest: { is: 'known', score, at, source: 'trinity_health_1.json' } })
const factsWith = (health: Facts['health']): Facts => ({ ...neutralFacts(), now: NOW, health })

function wordOf(health: Facts['health'], call: Call): string {
  return ['AUTO_RUN', 'ASK', 'BLOCK'][strictness(judgeHealth(policy, call, factsWith(health)))] ?? ''
}
const direct = callWith({})
const flow = (risk_score?: number, kind: CallerKind = 'user'): Call =>
  callWith(
    {},
    {
      caller: { kind, id: `${kind}:a`, user: 'ana' },
      by_run: {
        run_id: 'run_0123456789abcdef',
        kind: 'toolflow',
        step: 'EXECUTE',
        at_least: 'allow',
        lane: null,
        ...(risk_score === undefined ? {} : { risk_score }),
      },
    },
  )

test('there is no opinion without a serenity section', () => {
  expect(judgeHealth(policy, flow(), factsWith('off'))).toEqual([])
})

test.each([
  [0, 'BLOCK'],
  [79.99, 'BLOCK'],
  [80, 'ASK'],
  [90, 'ASK'],
  [90.01, 'AUTO_RUN'],
  [100, 'AUTO_RUN'],
])('a fresh score of %f is %s', (score, word) => {
  expect(wordOf(scored(score), direct)).toBe(word)
})

test.each([
  [60 * MINUTE, 'AUTO_RUN'],
  [60 * MINUTE + 1_000, 'ASK'],
])('a score of 95 that is %i ms old is %s', (age, word) => {
  expect(wordOf(scored(95, NOW - age), direct)).toBe(word)
})

test('a score that is too old is asked about, whatever its value', () => {
  expect(wordOf(scored(10, NOW - 61 * MINUTE), direct)).toBe('ASK')
})

test('missing or invalid evidence is asked about, and the opinion names the file', () => {
  const health = healthy({ newest: { is: 'unknown', says: 'is a link', source: 'trinity_health_9.json' } })
  expect(judgeHealth(policy, direct, factsWith(health))).toEqual([
    {
      decider: 'health',
      effect: 'ask',
      rule: 'health.none',
      says: 'no valid health evidence: trinity_health_9.json is a link',
      source: 'trinity_health_9.json',
      at: NOW,
    },
  ])
})

describe('risk', () => {
  test.each([
    [9.99, 'AUTO_RUN'],
    [10, 'ASK'],
  ])('a known risk of %f is %s for the toolflow and at every other door', (score, word) => {
    const health = healthy({ risk: { score, source: 'provider' } })
    expect(wordOf(health, flow())).toBe(word)
    expect(wordOf(health, direct)).toBe(word)
  })

  test('an unknown risk is asked about in the toolflow and nowhere else', () => {
    expect(wordOf(healthy(), flow())).toBe('ASK')
    expect(wordOf(healthy(), direct)).toBe('AUTO_RUN')
  })

  test.each(['user', 'approver', 'reviewer', 'admin'] as const)(
    'the risk score of a %s makes an unknown risk known',
    (kind) => {
      expect(wordOf(healthy(), flow(9.99, kind))).toBe('AUTO_RUN')
      expect(wordOf(healthy(), flow(10, kind))).toBe('ASK')
    },
  )

  test.each(['agent', 'node'] as const)('the risk score of an %s never does', (kind) => {
    expect(wordOf(healthy(), flow(0, kind))).toBe('ASK')
  })

  test("a caller's score raises a known risk and never lowers it", () => {
    const low = healthy({ risk: { score: 5, source: 'provider' } })
    const high = healthy({ risk: { score: 50, source: 'provider' } })
    expect(wordOf(low, flow(50, 'agent'))).toBe('ASK')
    expect(wordOf(high, flow(0, 'admin'))).toBe('ASK')
  })
})

describe('the gate provider', () => {
  const said = (word: 'AUTO_RUN' | 'ASK' | 'BLOCK' | 'no_answer', more: Partial<HealthFact> = {}) =>
    healthy({ provider: { source: 'p', word, says: '' }, ...more })

  test('replaces the score, in both directions', () => {
    expect(wordOf(said('BLOCK'), direct)).toBe('BLOCK')
    expect(wordOf(said('AUTO_RUN', { newest: scored(10).newest }), direct)).toBe('AUTO_RUN')
  })

  test('does not make a risk known', () => {
    expect(wordOf(said('AUTO_RUN'), flow())).toBe('ASK')
    expect(wordOf(said('AUTO_RUN'), flow(5))).toBe('AUTO_RUN')
  })

  test('that gives no answer is a reason to ask, and does not hide a low score', () => {
    expect(wordOf(said('no_answer'), direct)).toBe('ASK')
    expect(wordOf(said('no_answer', { newest: scored(10).newest }), direct)).toBe('BLOCK')
  })
})

test('a forced decision is the only opinion, and says that it is forced', () => {
  for (const forced of TOOLFLOW_VERDICTS) {
    expect(wordOf({ ...scored(10), forced }, flow())).toBe(forced)
    expect(judgeHealth(policy, flow(), factsWith({ ...scored(10), forced }))).toMatchObject([{ rule: 'health.forced' }])
  }
})

test('law: unless forced, nothing runs unattended in the toolflow without a known risk under 10 and either a fresh score over 90 or the operator’s own gate', () => {
  const newest: fc.Arbitrary<HealthFact['newest']> = fc.oneof(
    fc.record({
      is: fc.constant('known' as const),
      score: fc.double({ min: 0, max: 100, noNaN: true }),
      at: fc.integer({ min: 0, max: NOW + 2 * MINUTE }),
      source: fc.constant('f'),
    }),
    fc.constant({ is: 'unknown' as const, says: '', source: 'f' }),
  )
  const risk = fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constant('unknown' as const))
  const word = fc.option(fc.constantFrom('AUTO_RUN', 'ASK', 'BLOCK', 'no_answer'), { nil: undefined })
  fc.assert(
    fc.property(
      newest,
      risk,
      word,
      fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
      (one, score, word, claim) => {
        const health = healthy({
          newest: one,
          risk: { score, source: 'r' },
          ...(word === undefined ? {} : { provider: { source: 'p', word, says: '' } }),
        })
        if (wordOf(health, flow(claim, 'agent')) !== 'AUTO_RUN') return
        expect(score).toBeLessThan(10)
        if (word === undefined) {
          expect(one).toMatchObject({ is: 'known' })
          if (one.is === 'known') expect([one.score > 90, NOW - one.at <= 60 * MINUTE]).toEqual([true, true])
        } else expect(word).toBe('AUTO_RUN')
      },
    ),
  )
})
