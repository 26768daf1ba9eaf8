import type { PolicyFinding } from '../../kernel/ports/policy-check.ts'
import { strictnessOf } from '../../kernel/policy/combine-opinions.ts'
import type { DescribedCall } from '../../kernel/policy/described-call.ts'
import type { CompiledRule, Policy } from '../../kernel/policy/policy.ts'
import { atomsOf } from './atoms.ts'
import {
  askedBy,
  isSameMatch,
  type Lint,
  type LintOptions,
  matches,
  reports,
  ruleAnswer,
  shadows,
} from './find-in-policy.ts'
import { sampleCall } from './sample-call.ts'
import { type Encoded, encodeConditions, type Truth } from './smt-condition.ts'
import { callOf, type Solve, solveAll, type Solved } from './solved-call.ts'

export type ProvenPolicy = {
  readonly findings: readonly PolicyFinding[]
  /** How many questions the solver answered, and how many it did not. */
  readonly answered: number
  readonly open: number
}

const MOST_QUESTIONS = 100

type Prover = Lint & { readonly solve: Solve; answered: number; open: number }

/**
 * Settles what the finite lint cannot: conditions with string functions, sums and comparisons among arguments. What is reported
 * impossible is proven; every call shown was judged by the real policy.
 */
export async function provePolicy(
  policy: Policy,
  options: LintOptions,
  solve: Solve,
  known: readonly PolicyFinding[],
): Promise<ProvenPolicy> {
  const prover: Prover = { policy, rules: policy.operator.rules, options, solve, answered: 0, open: 0 }
  const findings: PolicyFinding[] = []
  const isKnown = (kind: PolicyFinding['kind'], { rule }: CompiledRule) =>
    known.some((finding) => finding.kind === kind && finding.rules.includes(rule.id))
  for (const own of prover.rules) {
    if (own.when === undefined) continue
    if (!isKnown('unreachable', own)) findings.push(...(await unreachable(own, prover)))
    if (!isKnown('contradiction', own)) findings.push(...(await contradictions(own, prover)))
    if (!isKnown('gap', own)) findings.push(...(await forgotten(own, prover)))
  }
  return { findings, answered: prover.answered, open: prover.open }
}

/** Whether a policy contains anything that the finite lint cannot settle. */
export const needsProof = ({ operator }: Policy): boolean => isBeyondTrying(operator.rules)

/** Rules for which trying the literals does not cover every case. */
const isBeyondTrying = (rules: readonly CompiledRule[]): boolean =>
  !atomsOf(rules.flatMap(({ when }) => (when === undefined ? [] : [when.ast]))).exact

type Question = { readonly encoded: Encoded; readonly truths: ReadonlyMap<CompiledRule, Truth> }
const ALWAYS: Truth = { holds: 'true', denies: 'false' }

function questionOf(rules: readonly CompiledRule[]): Question {
  const conditional = rules.flatMap((rule) => (rule.when === undefined ? [] : [{ rule, ast: rule.when.ast }]))
  const encoded = encodeConditions(conditional.map(({ ast }) => ast))
  return { encoded, truths: new Map(conditional.map(({ rule }, at) => [rule, encoded.truths[at] ?? ALWAYS])) }
}

async function ask(prover: Prover, { encoded }: Question, formulas: readonly string[]): Promise<Solved> {
  const solved: Solved =
    prover.answered + prover.open < MOST_QUESTIONS ? await solveAll(prover.solve, encoded, formulas) : { is: 'open' }
  if (solved.is === 'open') prover.open += 1
  else prover.answered += 1
  return solved
}

const truthIn = ({ truths }: Question, rule: CompiledRule): Truth => truths.get(rule) ?? ALWAYS

/** The call the solver found, if it really matches the rule and passes the test. */
function tried(
  own: CompiledRule,
  { encoded }: Question,
  solved: Solved,
  isRight: (call: DescribedCall) => boolean,
): DescribedCall | undefined {
  const base = sampleCall(own.rule.match)
  const call = base === undefined || solved.is !== 'found' ? undefined : callOf(base, encoded, solved.model)
  return call !== undefined && isRight(call) ? call : undefined
}

const holds = (rule: CompiledRule, call: DescribedCall) => typeof ruleAnswer(rule, call) === 'number'

async function unreachable(own: CompiledRule, prover: Prover): Promise<PolicyFinding[]> {
  const stricter = prover.rules.filter((other) => other !== own && shadows(other, own))
  const all = [own, ...stricter]
  const base = sampleCall(own.rule.match)
  if (!isBeyondTrying(all) || base === undefined) return []
  const question = questionOf(all)
  const itself = await ask(prover, question, [truthIn(question, own).holds])
  if (itself.is === 'never') {
    const says = `the condition of \`${own.rule.id}\` is never true, so the rule never applies`
    return [reports(prover, 'unreachable', [own], says, base)]
  }
  if (stricter.length === 0) return []
  const alone = await ask(
    prover,
    question,
    all.map((rule) => truthIn(question, rule)[rule === own ? 'holds' : 'denies']),
  )
  if (alone.is !== 'never') return []
  const names = stricter.map((other) => `\`${other.rule.id}\``).join(' and ')
  const says = `\`${own.rule.id}\` has no effect: ${names} ${stricter.length === 1 ? 'decides' : 'decide'} the same calls at least as strictly; \`${own.rule.id}\` only blocks calls for which its own condition cannot be evaluated`
  const example = tried(own, question, itself, (call) => holds(own, call)) ?? base
  return [reports(prover, 'unreachable', all, says, example)]
}

async function contradictions(own: CompiledRule, prover: Prover): Promise<PolicyFinding[]> {
  const findings: PolicyFinding[] = []
  for (const other of prover.rules) {
    if (other.order <= own.order || other.when === undefined || other.rule.effect === own.rule.effect) continue
    if (!isSameMatch(own, other) || askedBy(own) !== askedBy(other) || !isBeyondTrying([own, other])) continue
    const question = questionOf([own, other])
    const [loose, strict] = strictnessOf(own.rule) < strictnessOf(other.rule) ? [own, other] : [other, own]
    const together = await ask(prover, question, [truthIn(question, own).holds, truthIn(question, other).holds])
    const example = tried(own, question, together, (call) => holds(own, call) && holds(other, call))
    if (example === undefined) continue
    // A stricter rule for some of the calls is an exception. To show that it is not one, a call is needed here too.
    const outside = await ask(prover, question, [truthIn(question, strict).holds, truthIn(question, loose).denies])
    if (tried(own, question, outside, (call) => holds(strict, call) && !holds(loose, call)) === undefined) continue
    const words = `\`${own.rule.id}\` and \`${other.rule.id}\` match the same call; one says \`${own.rule.effect}\`, the other \`${other.rule.effect}\``
    findings.push(reports(prover, 'contradiction', [other, own], words, example))
  }
  return findings
}

async function forgotten(own: CompiledRule, prover: Prover): Promise<PolicyFinding[]> {
  const group = prover.rules.filter((other) => isSameMatch(own, other))
  if (group[0] !== own || group.length < 2 || !group.every((rule) => askedBy(rule) === askedBy(own))) return []
  if (new Set(group.map(({ rule }) => rule.effect)).size < 2 || !isBeyondTrying(group)) return []
  const question = questionOf(group)
  const silent = await ask(
    prover,
    question,
    group.map((rule) => truthIn(question, rule).denies),
  )
  const isLeft = (call: DescribedCall) =>
    prover.rules.every((rule) => !matches(rule, call, prover) || ruleAnswer(rule, call) === 'nothing')
  const left = tried(own, question, silent, isLeft)
  if (left === undefined) return []
  const names = group.map(({ rule }) => `\`${rule.id}\``).join(', ')
  return [reports(prover, 'gap', group, `none of ${names} decides this call; the preset does`, left)]
}
