import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../contract/approval.ts'
import type { Call } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import { STRENGTHS, type Effect, type Opinion, type Strength } from '../contract/verdict.ts'
import type { Decider } from './decider.ts'
import type { Facts } from './facts.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import type { Policy } from '../policy/policy.ts'
import { DECIDERS, decide } from '../../../test/judging.ts'
import { neutralFacts } from './neutral-facts.suite.ts'

const RANK: Record<Effect, number> = { allow: 0, ask: 1, block: 2 }
const HASH = 'a'.repeat(64)

function policyOf(text: string): Policy {
  const compiled = compilePolicy({ text, file: 'policy.yaml' }, { digest: () => HASH })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}
const careful = policyOf('preset: careful')
const watching = policyOf('preset: observe')

const tool: Tool = {
  row: {
    v: 1,
    tool_id: 's__t',
    server: 's',
    definition: { name: 't', inputSchema: { type: 'object' } },
    definition_hash: HASH,
    admitted: { hash: HASH, definition: { name: 't', inputSchema: {} }, at: 0, by: 'first-listing' },
    first_seen: 0,
    last_changed: 0,
  },
  effects: ['read'],
  effects_from: 'configured',
  risk: 'low',
  idempotent: true,
}
const call: Call = {
  call_id: 'call_000000000000000000000000',
  caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
  tool_id: 's__t',
  server: 's',
  definition_hash: HASH,
  canonical_args: '{}',
  args_hash: HASH,
  thread: 't1',
  trace: 'trace',
  received_at: 0,
}
const facts: Facts = neutralFacts(tool)

/** `isStanding`: the key was not revoked since. */
const approvedBy = (user: string, isStanding: boolean): Decision => ({
  by: `approver:${user}`,
  user,
  says: 'approve',
  how: 'role',
  at: 0,
  ...(isStanding ? {} : { ended_at: 1 }),
})

const opinion = fc.record({
  decider: fc.constantFrom('policy', 'definition', 'integrity', 'pause'),
  effect: fc.constantFrom<Effect>('allow', 'ask', 'block'),
  rule: fc.string(),
  says: fc.string(),
  source: fc.string(),
  at: fc.nat(),
  strength: fc.constantFrom<Strength>(...STRENGTHS),
})
const saying = (opinions: readonly Opinion[]): Decider[] =>
  opinions.map((one) => ({ name: one.decider, rank: 0, judge: () => [one] }))

describe('the verdict', () => {
  test('law: one more opinion never loosens it, in either mode', () => {
    fc.assert(
      fc.property(
        fc.array(opinion, { minLength: 1 }),
        opinion,
        fc.constantFrom(careful, watching),
        (some, more, policy) => {
          const before = decide(policy, call, facts, saying(some))
          const after = decide(policy, call, facts, saying([...some, more]))
          expect(RANK[after.effect]).toBeGreaterThanOrEqual(RANK[before.effect])
        },
      ),
    )
  })

  test('law: the strictest opinion wins, the order of the deciders does not matter, and all opinions are evidence', () => {
    fc.assert(
      fc.property(fc.array(opinion, { minLength: 1 }), (some) => {
        const verdict = decide(careful, call, facts, saying(some))
        expect(RANK[verdict.effect]).toBe(Math.max(...some.map(({ effect }) => RANK[effect])))
        expect(decide(careful, call, facts, saying(some.toReversed())).effect).toBe(verdict.effect)
        expect(verdict.evidence).toEqual(some)
      }),
    )
  })

  test('law: an ask has the greatest strength that any asking opinion wants', () => {
    fc.assert(
      fc.property(fc.array(opinion, { minLength: 1 }), (some) => {
        const verdict = decide(careful, call, facts, saying(some))
        const asked = some.filter(({ effect }) => effect === 'ask').map(({ strength }) => STRENGTHS.indexOf(strength))
        if (verdict.effect === 'ask') expect(STRENGTHS.indexOf(verdict.strength ?? 'simple')).toBe(Math.max(...asked))
      }),
    )
  })

  test('law: an approval permits its own call up to its strength while enough keys behind it are valid, and never overrides a block', () => {
    const approvals = fc.record({
      strength: fc.constantFrom<Strength>(...STRENGTHS),
      args: fc.boolean(),
      definition: fc.boolean(),
      standing: fc.record({ bob: fc.boolean(), cleo: fc.boolean() }),
    })
    fc.assert(
      fc.property(fc.array(opinion, { minLength: 1 }), approvals, (some, { strength, args, definition, standing }) => {
        const bare = decide(careful, call, facts, saying(some))
        const approval = {
          approval_id: 'auth_0000000000000000' as const,
          args_hash: args ? HASH : 'b'.repeat(64),
          definition_hash: definition ? HASH : 'b'.repeat(64),
          strength,
          decisions: [approvedBy('bob', standing.bob), approvedBy('cleo', standing.cleo)],
        }
        const lifted = decide(careful, call, { ...facts, approval }, saying(some)).effect
        const isStrong = STRENGTHS.indexOf(strength) >= STRENGTHS.indexOf(bare.strength ?? 'simple')
        const people = Number(standing.bob) + Number(standing.cleo)
        const isEnough = isStrong && people >= (bare.strength === 'two_person' ? 2 : 1)
        expect(lifted).toBe(bare.effect === 'ask' && args && definition && isEnough ? 'allow' : bare.effect)
      }),
    )
  })

  test('law: a harmless call has no opinion but that of the policy', () => {
    const opinions = DECIDERS.filter(({ name }) => name !== 'policy').flatMap((one) => one.judge(careful, call, facts))
    expect(opinions).toEqual([])
  })

  test('no opinion at all is a block', () => {
    expect(decide(careful, call, facts, [])).toMatchObject({ effect: 'block', evidence: [{ rule: 'gate.no_opinion' }] })
  })

  test('a decider that fails blocks the call', () => {
    const failing: Decider = {
      name: 'failing',
      rank: 0,
      judge: () => {
        throw new Error('oops')
      },
    }
    expect(decide(careful, call, facts, [...DECIDERS, failing])).toMatchObject({ effect: 'block' })
  })

  test("observe mode enforces forgery and an admin's pause, and records what else would have happened", () => {
    const unadmitted = { ...facts, tool: { ...tool, risk: 'critical', effects: ['privileged'] } } as const
    expect(decide(watching, call, unadmitted)).toMatchObject({ effect: 'allow', observed: 'ask' })
    expect(decide(watching, call, { ...facts, integrity: 'hash_differs' })).toMatchObject({ effect: 'block' })
    const pause = { v: 1, scope: 'all', effect: 'block', active: true, by: 'admin:x', reason: '', at: 0 } as const
    expect(decide(watching, call, { ...facts, pauses: [pause] })).toMatchObject({ effect: 'block' })
  })
})

describe('the deciders', () => {
  const effectOf = (some: Partial<Facts>) => decide(careful, call, { ...facts, ...some })
  const withRow = (row: Partial<Tool['row']>) => ({ tool: { ...tool, row: { ...tool.row, ...row } } })

  test('a low-risk call is allowed under careful', () => expect(effectOf({}).effect).toBe('allow'))
  test('a forged call is blocked', () => expect(effectOf({ integrity: 'canonical_differs' }).effect).toBe('block'))
  test('the call is blocked if the pauses cannot be read', () =>
    expect(effectOf({ pauses: 'unknown' }).effect).toBe('block'))
  test('a tool that was never admitted is asked about', () => {
    const { admitted: _, ...row } = tool.row
    expect(effectOf({ tool: { ...tool, row } })).toMatchObject({ effect: 'ask', strength: 'strong' })
  })
  test('a tool that changed since it was admitted is asked about', () => {
    const admitted = { hash: 'b'.repeat(64), definition: tool.row.definition, at: 0, by: 'admin:x' }
    expect(effectOf(withRow({ admitted }))).toMatchObject({ effect: 'ask' })
  })
  test('a tool that changed since the call was requested is blocked', () => {
    expect(effectOf(withRow({ definition_hash: 'c'.repeat(64) })).effect).toBe('block')
  })
  test('a tool that no longer exists is blocked', () => expect(effectOf(withRow({ gone_at: 1 })).effect).toBe('block'))
})
