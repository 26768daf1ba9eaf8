import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../../kernel/contract/json.ts'
import { z3 } from '../lint-policy.ts'
import { checkCondition, evaluate } from '../../../kernel/policy/condition/condition.ts'
import { scopeOf } from '../../../kernel/policy/condition/scope.ts'
import { compilePolicy } from '../../../kernel/policy/compile-policy.ts'
import { callFrom, type DescribedCall } from '../../../kernel/policy/described-call.ts'
import type { Policy } from '../../../kernel/policy/policy.ts'
import { lintPolicy } from '../find-in-policy.ts'
import { provePolicy } from '../prove-policy.ts'
import { encodeConditions } from '../smt-condition.ts'
import { smtNumber, smtString } from '../smt-text.ts'
import { KINDS, type Unknowns } from '../smt-value.ts'
import { type Solve, solveAll } from '../solved-call.ts'

// The solver is an optional package: if it is not installed, nothing can be proven.
const installed = await import('z3-solver').catch(() => undefined)
if (installed === undefined) process.stdout.write('skipped: z3-solver is not installed\n')

let solve: Solve = () => Promise.resolve(undefined)
const done = Promise.withResolvers<void>()
let stopped: Promise<unknown> = Promise.resolve()
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    stopped = z3((started) => {
      solve = started
      resolve()
      return done.promise
    }).finally(resolve)
  })
})
afterAll(async () => {
  done.resolve()
  await stopped
})

function policyOf(text: string): Policy {
  const compiled = compilePolicy({ text, file: 'policy.yaml' }, { digest: () => 'v' })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}
type Written = readonly [id: string, effect: string, when: string]
const rules = (...written: readonly Written[]) =>
  policyOf(
    JSON.stringify({
      rules: written.map(([id, effect, when]) => ({ id, effect, match: { tool: 's__t' }, when, says: 'so' })),
    }),
  )
async function found(policy: Policy): Promise<string[]> {
  const known = lintPolicy(policy)
  const { findings } = await provePolicy(policy, {}, solve, known)
  return findings.map(({ kind, rules: about }) => `${kind} ${about.join(' ')}`)
}

describe.skipIf(installed === undefined)('what the finite lint cannot settle', { timeout: 120_000 }, () => {
  test.each<[string, Policy, string[]]>([
    [
      'a prefix that excludes another',
      rules(['a', 'allow', 'args.p.startsWith("/a/") && args.p.startsWith("/b/")']),
      ['unreachable a'],
    ],
    [
      'two prefixes that are compatible',
      rules(['a', 'allow', 'args.p.startsWith("/a/") && args.p.startsWith("/a/b/")']),
      [],
    ],
    [
      'an order among arguments',
      rules(['a', 'allow', 'args.x < args.y && args.y < args.z && args.z < args.x']),
      ['unreachable a'],
    ],
    ['sums of doubles that are possible only because of rounding', rules(['a', 'allow', 'args.x + 1 == args.x']), []],
    ['sums that contradict each other', rules(['a', 'allow', 'args.x + 1 > 10 && args.x < 8']), ['unreachable a']],
    [
      'a rule that stricter ones cover together',
      rules(
        ['own', 'allow', 'args.p.startsWith("/a/")'],
        ['one', 'ask', 'args.p.contains("/a/") && args.n > args.m'],
        ['two', 'block', 'args.p.contains("/") && args.n <= args.m'],
      ),
      ['unreachable own one two'],
    ],
    [
      'a rule that stricter ones cover only in part',
      rules(['own', 'allow', 'args.p.startsWith("/a/")'], ['one', 'ask', 'args.p.startsWith("/a/b/")']),
      [],
    ],
    [
      'two that overlap, neither an exception',
      rules(['own', 'allow', 'args.p.startsWith("/a/")'], ['one', 'block', 'args.p.endsWith(".key")']),
      ['contradiction one own'],
    ],
    [
      'a gap between globs',
      rules(['own', 'allow', 'args.p.glob("/a/*")'], ['one', 'block', 'args.p.glob("/b/*")']),
      ['gap own one'],
    ],
  ])('%s', async (_, policy, expected) => {
    const tried = lintPolicy(policy).map(({ kind, rules: about }) => `${kind} ${about.join(' ')}`)
    const all = new Set([...tried, ...(await found(policy))])
    for (const one of expected) expect(all).toContain(one)
    const isUnreachable = (one: string) => one.startsWith('unreachable')
    expect([...all].filter(isUnreachable)).toEqual(expected.filter(isUnreachable))
  })

  test('every example is judged by the policy itself', async () => {
    const policy = rules(['own', 'allow', 'args.p.glob("/a/*/x")'], ['one', 'block', 'args.p.glob("/b/*/x")'])
    const { findings } = await provePolicy(policy, {}, solve, [])
    const gap = findings.find(({ kind }) => kind === 'gap')
    expect(gap?.answer.rules).toEqual(['careful.medium'])
  })

  test('an unanswered question gives no finding', async () => {
    const policy = rules(['a', 'allow', 'args.p.startsWith("/a/") && args.p.startsWith("/b/")'])
    for (const answer of [undefined, 'unknown', '(error "line 1")', 'sat\n(error "x")', ''])
      expect(await provePolicy(policy, {}, async () => answer, [])).toMatchObject({
        findings: [],
        answered: 0,
        open: 1,
      })
  })
})

// ---------------------------------------------------------------- the law of the encoding

const values: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(0, 1, -1, 2.5, 1e300, -0.1, 'a', 'ab', 'b', '', 'é"\\u', true, false, null, [], {}),
  fc.record({ y: fc.constantFrom<Json>(1, 'a', null) }),
)
const argsOf: fc.Arbitrary<Json> = fc.dictionary(fc.constantFrom('a', 'b', 'x'), values, { maxKeys: 3 })
const value = fc.constantFrom(
  'args.a',
  'args.b',
  'args.x.y',
  '1',
  '2.5',
  '-1',
  '"a"',
  '"ab"',
  '"é\\"\\\\u"',
  'null',
  'true',
  'caller.user',
)
const sums = fc.oneof(
  { weight: 3, arbitrary: value },
  fc.tuple(value, fc.constantFrom('+', '-'), value).map((parts) => `(${parts.join(' ')})`),
)
const atom = fc.oneof(
  fc.tuple(sums, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), sums).map((parts) => parts.join(' ')),
  fc.tuple(value, fc.constantFrom('["a", "b"]', '[1, 2.5]', 'args.b')).map(([left, list]) => `${left} in ${list}`),
  fc
    .tuple(
      fc.constantFrom('args.a', 'args.b', 'caller.user'),
      fc.constantFrom('startsWith("a")', 'endsWith(args.b)', 'contains("b")', 'glob("a*")', 'glob("?b")'),
    )
    .map(([of, test]) => `${of}.${test}`),
  fc.constantFrom(
    'has(args.a)',
    'has(args.x.y)',
    'args.a',
    'args.a.exists(i, i == 1)',
    'size(args.a) > 1',
    'args.a.lowerAscii() == "a"',
  ),
)
const condition = fc.letrec<{ all: string }>((tie) => ({
  all: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(tie('all'), fc.constantFrom('&&', '||'), tie('all'))
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    tie('all').map((inner) => `!(${inner})`),
    fc.tuple(tie('all'), tie('all'), tie('all')).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
  ),
})).all

/** Formulas that fix the solver's values to those of one call. */
function pins(unknowns: readonly Unknowns[], described: DescribedCall): string[] {
  return unknowns.flatMap(({ path, base }) => {
    const [root, ...keys] = path
    if (root !== 'args' && path.join('.') !== 'caller.user') return []
    const start: Json | undefined = root === 'args' ? described.args : { user: described.user }
    const found = keys.reduce<Json | undefined>(
      (above, key) =>
        typeof above === 'object' && above !== null && !Array.isArray(above) && Object.hasOwn(above, key)
          ? (above as Record<string, Json>)[key]
          : undefined,
      start,
    )
    const is = (kind: (typeof KINDS)[number]) => `(= k${base} ${KINDS.indexOf(kind)})`
    if (found === undefined) return [is('missing')]
    if (found === null) return [is('null')]
    if (typeof found === 'boolean') return [is('bool'), `(= b${base} ${found})`]
    if (typeof found === 'number') return [is('number'), `(= n${base} ${smtNumber(found)})`]
    if (typeof found === 'string') return [is('string'), `(= s${base} ${smtString(found)})`]
    return [is(Array.isArray(found) ? 'list' : 'object')]
  })
}

test.skipIf(installed === undefined)(
  'the formulas admit every result that a condition can have',
  async () => {
    let exact = 0
    await fc.assert(
      fc.asyncProperty(condition, argsOf, fc.constantFrom('a', 'bob'), async (text, args, user) => {
        const checked = checkCondition(text)
        fc.pre(checked.ok)
        if (!checked.ok) return
        const described: DescribedCall = {
          tool: 's__t',
          effects: ['read'],
          risk: 'low',
          caller: 'agent:a',
          role: 'agent',
          user,
          args,
        }
        const { call, facts } = callFrom(described)
        const answer = evaluate(checked.value, scopeOf(call, facts))
        const encoded = encodeConditions([checked.value.ast])
        const [truth] = encoded.truths
        if (truth === undefined) throw new Error('a condition has a formula')
        const pinned = pins(encoded.unknowns, described)
        const real =
          answer === true ? truth.holds : answer === false ? truth.denies : `(not (or ${truth.holds} ${truth.denies}))`
        expect((await solveAll(solve, encoded, [...pinned, real])).is).not.toBe('never')
        // If nothing was left open, they admit nothing else.
        if (encoded.script.includes('(declare-const o') || /size|lower|[-+<>]/.test(text)) return
        exact += 1
        expect((await solveAll(solve, encoded, [...pinned, `(not ${real})`])).is).not.toBe('found')
      }),
      { numRuns: 150 },
    )
    expect(exact).toBeGreaterThan(5)
  },
  120_000,
)
