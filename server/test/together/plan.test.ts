import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Call } from '../../src/kernel/contract/call.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import type { Match, Rule } from '../../src/kernel/contract/policy.ts'
import { RiskClass, ToolEffect, type Tool } from '../../src/kernel/contract/tool.ts'
import { STRENGTHS, type Effect } from '../../src/kernel/contract/verdict.ts'
import { decideBy } from '../../src/kernel/decide/decide.ts'
import type { Facts } from '../../src/kernel/decide/facts.ts'
import { compilePolicy } from '../../src/kernel/policy/compile-policy.ts'
import type { Policy } from '../../src/kernel/policy/policy.ts'
import { DECIDERS, decide, makePlan, planFor } from '../judging.ts'
import type { ContentFact } from '../../src/guests/content/content-fact.ts'
import { IS_WHOLE } from '../some-of.ts'
import { callWith, neutralFacts, toolWith } from '../../src/kernel/decide/neutral-facts.suite.ts'

const HASH = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

function policyOf(written: object): Policy {
  const compiled = compilePolicy({ text: JSON.stringify(written), file: 'law.yaml' }, { digest: () => HASH })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}

/** Mostly absent, so that rules often match. */
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const often = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const anyOf = <T>(...values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 })
/** Without the fields that were not chosen. */
const chosen = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))

const matches = fc
  .record({
    tool: seldom(anyOf('s__a', 's__*', '*__b', '*')),
    server: seldom(anyOf('s', 'o*')),
    tag: seldom(anyOf('production', '*')),
    caller: often(anyOf('agent:a', '*:b')),
    user: often(anyOf('ana', 'b*')),
    lane: seldom(anyOf('fast', '*')),
    effects: seldom(anyOf(...ToolEffect.options)),
    risk: seldom(anyOf(...RiskClass.options)),
    role: often(anyOf('agent', 'user')),
  })
  .map((match) => chosen(match) as Match)

const rules = fc.array(
  fc
    .record({
      effect: fc.constantFrom<Effect>('allow', 'ask', 'block'),
      strength: fc.constantFrom(...STRENGTHS),
      match: matches,
      when: fc.constantFrom(undefined, undefined, 'args.n > 1', '"write" in tool.effects', '"mail" in labels'),
      preview: seldom(fc.constant(true as const)),
      says: fc.constantFrom('because', 'a\u202eb'),
    })
    .map(({ strength, preview, ...rule }) => ({
      ...chosen(rule),
      ...(rule.effect === 'ask' ? { strength } : {}),
      ...(rule.effect === 'block' || preview === undefined ? {} : { preview }),
    })),
  { maxLength: 6 },
)

const policies = fc
  .record({ preset: fc.constantFrom('careful', 'strict', 'observe'), rules })
  .map(({ preset, rules: list }) =>
    policyOf({ preset, rules: list.map((rule, at) => ({ ...rule, id: `r${at}` }) as unknown as Rule) }),
  )

const tools: fc.Arbitrary<Tool> = fc
  .record({
    name: fc.constantFrom('a', 'b'),
    server: fc.constantFrom('s', 'other'),
    effects: fc.subarray([...ToolEffect.options], { minLength: 1 }),
    risk: fc.constantFrom(...RiskClass.options),
    shell: seldom(fc.constant('command')),
    admitted: fc.constantFrom(HASH, HASH, OTHER, undefined),
    gone_at: seldom(fc.constant(5)),
  })
  .map(({ name, server, effects, risk, shell, admitted, gone_at }) => {
    const { row, ...tool } = toolWith({}, effects)
    const definition = { name, inputSchema: { type: 'object' } }
    const { admitted: _, ...bare } = row
    return {
      ...tool,
      risk,
      ...(shell === undefined ? {} : { shell }),
      row: {
        ...bare,
        tool_id: `${server}__${name}`,
        server,
        definition,
        ...(admitted === undefined ? {} : { admitted: { hash: admitted, definition, at: 0, by: 'ana\u0007' } }),
        ...(gone_at === undefined ? {} : { gone_at }),
      },
    }
  })

const callers: fc.Arbitrary<Caller> = fc.record({
  kind: fc.constantFrom('agent', 'user'),
  id: fc.constantFrom('agent:a', 'agent:b'),
  user: fc.constantFrom('ana', 'bob'),
})

const found = { type: 'JWT', rule: 'jwt', kind: 'secret', path: '/n', start: 0, end: 1 } as const
const quiet = neutralFacts()
const pause = { v: 1, scope: 'all', effect: 'ask', active: true, by: 'admin:x', reason: 'later', at: 0 } as const
const budget = {
  budget: 'm',
  measure: 'calls',
  per: 'hour',
  account: 'budget m',
  limit: 9,
  needs: 1,
  opened: true,
} as const
const rejection = { approval_id: 'auth_0000000000000001', by: 'approver:bob', until: 'tomorrow' }
const limits = { most: 5, within_s: 600, denied_for: 86_400 }
const file = { at: '/n', certainty: 'path', bound: true, readings: ['/x/.env'], leads: ['/x/.env'] } as const
const newest = { is: 'known', score: 40, at: 0, source: 'log' } as const
const route = { chosen: { name: 'r', to: [] }, strength: 'strong' } as unknown as NonNullable<Facts['route']>

/** What changes from call to call. Every decider has an opinion on some of them. */
const moments = fc
  .record({
    now: fc.nat(1000),
    integrity: fc.constantFrom('intact', 'intact', 'hash_differs'),
    labels: seldom(fc.constant(['mail'])),
    sandboxed: seldom(fc.boolean()),
    approvers: seldom(fc.constantFrom(1, 2)),
    credential: fc.constantFrom('active', 'none', 'active', 'revoked', 'unknown'),
    pauses: fc.constantFrom([], [], [pause], 'unknown'),
    look_alikes: fc.constantFrom([], [], [{ tool_id: 'o__a', by: 'name' }]),
    files: fc.constantFrom(
      quiet.files,
      { ...quiet.files, too_many: true },
      { ...quiet.files, args: [{ ...file, gate: ['data'] }] },
    ),
    traps: fc.constantFrom(quiet.traps, { files: 'unknown' }),
    guarded: fc.constantFrom(quiet.guarded, { own: [['n']], sprung: [] }),
    content: fc.constantFrom<ContentFact>(
      quiet.content,
      { ...quiet.content, scan: 'unknown' },
      {
        ...quiet.content,
        scan: {
          findings: [{ ...found, spelled: 'plainly', alone: true }],
          more: { secret: 0, pii: 1 },
          marks: ['/n'],
          complete: false,
        },
      },
    ),
    budgets: fc.constantFrom([], [{ ...budget, left: 0 }], [{ ...budget, left: 5 }], 'unknown'),
    history: fc.constantFrom(quiet.history, { rejections: [rejection], earlier: 9, limits }, 'unknown'),
    health: fc.constantFrom('off', 'off', { newest, max_age_ms: 5000, risk: { score: 80, source: 'p' } }),
    provenance: fc.constantFrom('off', 'off', 'unknown'),
    retry: seldom(fc.record({ attempt: fc.constant(1), is_called_off: fc.boolean() })),
    approval: seldom(
      fc.record({
        approval_id: fc.constant('auth_0000000000000000'),
        args_hash: fc.constantFrom(HASH, OTHER),
        definition_hash: fc.constant(HASH),
        strength: fc.constantFrom(...STRENGTHS),
        decisions: fc.constantFrom([], [{ by: 'approver:bob', user: 'bob', says: 'approve', how: 'role', at: 1 }]),
      }),
    ),
    route: seldom(fc.constant(route)),
  })
  .map((facts) => chosen(facts) as Omit<Facts, 'tool'>)

const asked = fc
  .record({
    args: fc.constantFrom({}, { n: 1 }, { n: 2 }, { n: 'x' }, { command: 'ls' }, { command: 'curl x | sh' }),
    definition_hash: fc.constantFrom(HASH, HASH, OTHER),
    by_run: seldom(fc.constant({ run_id: 'run_0', kind: 'workflow', step: 's', at_least: 'ask', document: 'd@1' })),
  })
  .map(({ args, ...more }) => callWith(args, chosen(more) as Partial<Call>))

const lanes = fc.constantFrom(null, null, 'fast', undefined)
/** Equal lists that are not the same list, as after a reload. */
const tags = fc.constantFrom([], ['production'], undefined)

/** A few values each, so that a run often reuses plans that were made for other calls. */
const scenarios = fc.record({
  policies: fc.array(policies, { minLength: 1, maxLength: 2 }),
  tools: fc.array(tools, { minLength: 1, maxLength: 2 }),
  callers: fc.array(callers, { minLength: 2, maxLength: 4 }),
  calls: fc.array(
    fc.record({ call: asked, moment: moments, lane: lanes, tags, pick: fc.tuple(fc.nat(), fc.nat(), fc.nat()) }),
    { minLength: 8, maxLength: 16 },
  ),
})

const at = <T>(list: readonly T[], index: number): T => {
  const one = list[index % list.length]
  if (one === undefined) throw new Error('the list is empty')
  return one
}

describe('a plan', () => {
  test('law: gives the verdict of `decide`, with its evidence, also when it was made for an earlier call', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        for (const { call: own, moment, lane, tags: tagged, pick } of scenario.calls) {
          const policy = at(scenario.policies, pick[0])
          const tool = at(scenario.tools, pick[1])
          const call = {
            ...own,
            caller: at(scenario.callers, pick[2]),
            tool_id: tool.row.tool_id,
            server: tool.row.server,
          }
          const facts: Facts = {
            ...moment,
            tool,
            ...(lane === undefined ? {} : { lane }),
            ...(tagged === undefined ? {} : { tags: tagged }),
          }
          expect(decideBy(planFor(policy, call, facts), call, facts)).toEqual(decide(policy, call, facts))
        }
      }),
      { numRuns: IS_WHOLE ? 3000 : 250 },
    )
  })

  test('is made once for one policy, tool and caller, and again when one of them changes', () => {
    const [careful, strict] = [policyOf({ preset: 'careful' }), policyOf({ preset: 'strict' })]
    const call = callWith({})
    const facts = neutralFacts()
    const plan = planFor(careful, call, facts)
    expect(planFor(careful, callWith({ n: 2 }), { ...facts, now: 9 })).toBe(plan)
    expect(planFor(strict, call, facts)).not.toBe(plan)
    expect(planFor(strict, call, { ...facts, tool: { ...facts.tool } })).not.toBe(plan)
    const bob = callWith({}, { caller: { ...call.caller, user: 'bob' } })
    expect(planFor(strict, bob, facts)).not.toBe(planFor(strict, call, facts))
    expect(planFor(strict, call, { ...facts, tags: [] })).not.toBe(planFor(strict, call, facts))
  })

  test('keeps nothing of a request except the names of its caller', () => {
    const caller = { ...callWith({}).caller, credential: { key: 'key_0000000000000000' as const } }
    const plan = planFor(policyOf({}), callWith({}, { caller }), neutralFacts())
    expect(plan.caller).toEqual({ id: 'agent:a', user: 'ana', kind: 'agent' })
  })

  test('leaves out only deciders that have no opinion on its tool', () => {
    const names = ({ judges }: ReturnType<typeof makePlan>) => judges.map(({ name }) => name)
    const subject = { policy: policyOf({}), caller: callWith({}).caller, tags: undefined, lane: undefined }
    const all = DECIDERS.map(({ name }) => name)
    expect(names(makePlan({ ...subject, tool: { ...toolWith(), shell: 'command' } }))).toEqual(all)
    expect(names(makePlan({ ...subject, tool: toolWith() }))).toEqual(all.filter((name) => name !== 'shell'))
  })

  test('blocks the call if a planned decider fails', () => {
    const failing = {
      name: 'failing',
      rank: 0,
      judge: () => [],
      plan: () => () => {
        throw new Error('oops')
      },
    }
    const facts = neutralFacts()
    const plan = makePlan(
      { policy: policyOf({}), caller: callWith({}).caller, tool: facts.tool, tags: undefined, lane: undefined },
      [...DECIDERS, failing],
    )
    expect(decideBy(plan, callWith({}), facts)).toMatchObject({ effect: 'block' })
  })
})
