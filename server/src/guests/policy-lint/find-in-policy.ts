import type { PolicyFinding } from '../../kernel/ports/policy-check.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { RiskClass, ToolEffect } from '../../kernel/contract/tool.ts'
import {
  type CombinedEffect,
  combineOpinions,
  spellEffect,
  strictnessOf,
} from '../../kernel/policy/combine-opinions.ts'
import { evaluate } from '../../kernel/policy/condition/condition.ts'
import { scopeOf } from '../../kernel/policy/condition/scope.ts'
import { callFrom, type DescribedCall } from '../../kernel/policy/described-call.ts'
import { judgePolicy, matchingRules } from '../../kernel/policy/judge-policy.ts'
import type { CompiledRule, Policy } from '../../kernel/policy/policy.ts'
import { atomsOf } from './atoms.ts'
import { coversGlob, coversMatch } from './covers.ts'
import { serverWithin } from '../../kernel/policy/unlisted-tools.ts'
import { sampleCall } from './sample-call.ts'
import { sayUnlisted, unlistedTools, type ListedTools } from '../../kernel/policy/unlisted-tools.ts'
import { type Promised, type CallsToTry, callsToTry } from './calls-to-try.ts'

export type LintOptions = {
  readonly schemas?: (tool_id: string) => JsonObject | undefined
  readonly listed?: ListedTools
}

export type Lint = { readonly policy: Policy; readonly rules: readonly CompiledRule[]; readonly options: LintOptions }

/**
 * Finds rules without effect, calls that rules miss, and rules that contradict each other. Every finding is true, but not every
 * mistake is found: conditions beyond plain comparisons are only sampled, not proven.
 */
export function lintPolicy(policy: Policy, options: LintOptions = {}): PolicyFinding[] {
  const lint = { policy, rules: policy.operator.rules, options }
  const ofRules = lint.rules.flatMap((rule) => [
    ...unlisted(rule, lint),
    ...unreachable(rule, lint),
    ...contradictions(rule, lint),
    ...forgotten(rule, lint),
  ])
  return [...ofRules, ...unanswered(lint)]
}

/** How strictly a rule answers a call, as a number to compare. A condition that cannot be evaluated blocks. */
type RuleAnswer = 'nothing' | 'no answer' | number
export function ruleAnswer({ rule, when }: CompiledRule, described: DescribedCall): RuleAnswer {
  const { call, facts } = callFrom(described)
  const holds = when === undefined ? true : evaluate(when, scopeOf(call, facts))
  if (holds === true) return strictnessOf(rule)
  return holds === false ? 'nothing' : 'no answer'
}

export const reports = (
  lint: Lint,
  kind: PolicyFinding['kind'],
  rules: readonly CompiledRule[],
  says: string,
  example: DescribedCall,
): PolicyFinding => ({
  kind,
  rules: rules.map(({ rule }) => rule.id),
  source: rules[0]?.source ?? lint.policy.file,
  says,
  example,
  answer: answerTo(lint.policy, example),
})

function answerTo(policy: Policy, example: DescribedCall): CombinedEffect {
  const { call, facts } = callFrom(example)
  return combineOpinions(judgePolicy(policy, call, facts))
}

// ---------------------------------------------------------------- rules without effect

function unlisted(own: CompiledRule, lint: Lint): PolicyFinding[] {
  const { match } = own.rule
  const { listed } = lint.options
  return (listed === undefined ? [] : unlistedTools(match, listed)).flatMap((found) => {
    const example = sampleCall({ ...match, tool: [found.tool] })
    return example === undefined ? [] : [reports(lint, 'unlisted', [own], sayUnlisted(own.rule, found), example)]
  })
}

function unreachable(own: CompiledRule, lint: Lint): PolicyFinding[] {
  const { rule } = own
  const stricter = lint.rules.filter((other) => other !== own && shadows(other, own))
  const tries = callsToTry(own, stricter, promisesFor([own], lint.options))
  const holding = tries.calls.filter((call) => typeof ruleAnswer(own, call) === 'number')
  const [first] = tries.calls
  if (first === undefined) return impossible(own, lint)
  if (holding.length === 0) {
    const says = `the condition of \`${rule.id}\` is never true, so the rule never applies`
    const silent = tries.calls.find((call) => ruleAnswer(own, call) === 'nothing') ?? first
    return tries.exact ? [reports(lint, 'unreachable', [own], says, silent)] : []
  }
  const speaks = (other: CompiledRule, call: DescribedCall) => ruleAnswer(other, call) !== 'nothing'
  const always = stricter.find((other) => other.when === undefined || other.when.text === own.when?.text)
  const covered = holding.every((call) => stricter.some((other) => speaks(other, call)))
  if (always === undefined && !(tries.exact && covered)) return []
  const by = always === undefined ? stricter.filter((other) => holding.some((call) => speaks(other, call))) : [always]
  const names = by.map((other) => `\`${other.rule.id}\``).join(' and ')
  const says = `\`${rule.id}\` has no effect: ${names} ${by.length === 1 ? 'decides' : 'decide'} the same calls at least as strictly${unlessItFails(own, by, tries)}`
  const [example = first] = holding
  return [reports(lint, 'unreachable', [own, ...by], says, example)]
}

/** A tool of one server combined with another server: no call matches both. */
function impossible(own: CompiledRule, lint: Lint): PolicyFinding[] {
  const { server, ...rest } = own.rule.match
  const example = sampleCall(rest)
  const servers = (rest.tool ?? []).map(serverWithin)
  const apart = servers.length > 0 && servers.every((name) => !server?.some((pattern) => coversGlob(pattern, name)))
  if (example === undefined || !apart || servers.includes('*')) return []
  const says = `no call matches \`${own.rule.id}\`: its tools are on ${servers.join(', ')}, not on ${server?.join(', ') ?? ''}`
  return [reports(lint, 'unreachable', [own], says, example)]
}

/** Whether the other rule matches everything this one does and is stricter. Of two equal rules the first is kept. */
export function shadows(other: CompiledRule, own: CompiledRule): boolean {
  if (!coversMatch(other.rule.match, own.rule.match)) return false
  const distance = strictnessOf(other.rule) - strictnessOf(own.rule)
  if (distance !== 0) return distance > 0
  const alike =
    coversMatch(own.rule.match, other.rule.match) && (own.when === undefined || own.when.text === other.when?.text)
  return !alike || other.order < own.order
}

/** A condition that cannot be evaluated blocks. A shadowing rule does not change that, unless it blocks too. */
function unlessItFails(own: CompiledRule, by: readonly CompiledRule[], { calls }: CallsToTry): string {
  const isFelt = (call: DescribedCall) =>
    by.every((other) => ruleAnswer(other, call) !== 'no answer' && other.rule.effect !== 'block')
  const felt = calls.some((call) => ruleAnswer(own, call) === 'no answer' && isFelt(call))
  return felt ? `; \`${own.rule.id}\` only blocks calls for which its own condition cannot be evaluated` : ''
}

// ---------------------------------------------------------------- rules that contradict each other

function contradictions(own: CompiledRule, lint: Lint): PolicyFinding[] {
  const partners = lint.rules.filter(
    (other) => other.order > own.order && other.rule.effect !== own.rule.effect && isSameMatch(own, other),
  )
  return partners.flatMap((other) => {
    const [loose, strict] = strictnessOf(own.rule) < strictnessOf(other.rule) ? [own, other] : [other, own]
    // Rules about different arguments may overlap; then the stricter one wins, as intended.
    if (strict.when !== undefined && askedBy(own) !== askedBy(other)) return []
    const { calls } = callsToTry(own, [other], promisesFor([own], lint.options))
    const says = (rule: CompiledRule, call: DescribedCall) => typeof ruleAnswer(rule, call) === 'number'
    const both = calls.find((call) => says(loose, call) && says(strict, call))
    // A stricter rule for some of the calls is an exception, which is what conditions are for.
    const isException =
      calls.every((call) => !says(strict, call) || says(loose, call)) &&
      calls.some((call) => says(loose, call) && !says(strict, call))
    if (both === undefined || isException) return []
    const words = `\`${own.rule.id}\` and \`${other.rule.id}\` match the same call; one says \`${own.rule.effect}\`, the other \`${other.rule.effect}\``
    return [reports(lint, 'contradiction', [other, own], words, both)]
  })
}

export const isSameMatch = (a: CompiledRule, b: CompiledRule) =>
  coversMatch(a.rule.match, b.rule.match) && coversMatch(b.rule.match, a.rule.match)

// ---------------------------------------------------------------- calls that no rule matches

/** Rules that split the same calls by the same arguments, and leave a gap to the preset. */
function forgotten(own: CompiledRule, lint: Lint): PolicyFinding[] {
  const group = lint.rules.filter((other) => isSameMatch(own, other))
  if (group[0] !== own || group.length < 2 || !group.every((rule) => askedBy(rule) === askedBy(own))) return []
  if (own.when === undefined || new Set(group.map(({ rule }) => rule.effect)).size < 2) return []
  const { calls } = callsToTry(own, group, promisesFor([own], lint.options))
  const left = calls.find((call) =>
    lint.rules.every((rule) => !matches(rule, call, lint) || ruleAnswer(rule, call) === 'nothing'),
  )
  if (left === undefined) return []
  const names = group.map(({ rule }) => `\`${rule.id}\``).join(', ')
  const answer = spellEffect(answerTo(lint.policy, left))
  return [reports(lint, 'gap', group, `none of ${names} decides this call; the preset does: ${answer}`, left)]
}

export const askedBy = ({ when }: CompiledRule) =>
  when === undefined ? '' : [...atomsOf([when.ast]).asked.keys()].sort().join(' ')

export function matches(rule: CompiledRule, described: DescribedCall, { policy }: Lint): boolean {
  const { call, facts } = callFrom(described)
  return matchingRules(policy.operator, call, facts).some((matching) => matching.rule === rule)
}

/** Calls that neither the operator nor the preset answers. */
function unanswered(lint: Lint): PolicyFinding[] {
  const base = sampleCall({})
  if (base === undefined) return []
  const all = RiskClass.options.flatMap((risk) =>
    ToolEffect.options.map((effect): DescribedCall => ({ ...base, risk, effects: [effect] })),
  )
  const silent = all.find((call) => answerTo(lint.policy, call).rules.includes('policy.no_rule'))
  if (silent === undefined) return []
  return [reports(lint, 'gap', [], 'no rule of the file or the preset decides this call, so it is blocked', silent)]
}

/** What the tool's schema guarantees, for rules that name exactly one tool: required arguments exist and have their type. */
function promisesFor([own]: readonly [CompiledRule], { schemas }: LintOptions): Promised {
  const tools = own.rule.match.tool ?? []
  const schema = tools.length === 1 ? schemas?.(tools[0] ?? '') : undefined
  const required = schema?.['required']
  const properties = schema?.['properties']
  return ([name, ...rest]) =>
    name !== undefined &&
    rest.length === 0 &&
    Array.isArray(required) &&
    required.includes(name) &&
    isJsonObject(properties) &&
    isJsonObject(properties[name]) &&
    typeof properties[name]['type'] === 'string'
}
