import type { Caller } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import type { Effect, Strength } from '../contract/verdict.ts'
import { type Condition, evaluate } from './condition/condition.ts'
import { type Scope, scopeOf } from './condition/scope.ts'
import type { Variable } from './condition/type.ts'
import { Failure } from './condition/value.ts'
import { matchingRules } from './judge-policy.ts'
import { sayEffectOf } from './say-effect.ts'
import type { CompiledRule, Layer, Policy } from './policy.ts'

/** What a rule may decide about a call whose arguments, time and session are not known yet. */
export type PossibleOpinion = {
  readonly effect: Effect
  readonly strength?: Strength
  readonly rule: string
  readonly says: string
  /** The variables it depends on; empty if the rule certainly applies. */
  readonly depends: readonly Variable[]
}

/** One layer's rules: those that apply to any arguments, and those that may. */
export type PossibleOpinions = {
  readonly certain: readonly PossibleOpinion[]
  readonly possible: readonly PossibleOpinion[]
}

const UNKNOWN_YET = { now: 0, canonical_args: '{}', thread: '' }

/**
 * What the policy would say about a caller's calls to a tool, before there is one: the operator's layer, and the preset's if no
 * operator rule may apply. A rule that depends on anything but the tool and the caller may or may not apply. Pure and total.
 */
export function possibleOpinions(policy: Policy, caller: Caller, tool: Tool): readonly PossibleOpinions[] {
  const operator = opinionsIn(policy.operator, caller, tool)
  if (operator.certain.length > 0) return [operator]
  const preset = opinionsIn(policy.fallback, caller, tool)
  const say = (opinion: PossibleOpinion) => sayEffectOf(opinion, tool, tool.tags)
  return [operator, { certain: preset.certain.map(say), possible: preset.possible.map(say) }]
}

/**
 * Whether any call could get anything but a block.
 * INVARIANT: false only if the policy blocks every call (law in possible-opinions.test.ts).
 */
export function couldPermit(policy: Policy, caller: Caller, tool: Tool): boolean {
  if (policy.mode === 'observe') return true
  for (const { certain, possible } of possibleOpinions(policy, caller, tool)) {
    if (certain.some(({ effect }) => effect === 'block')) return false
    if ([...certain, ...possible].some(({ effect }) => effect !== 'block')) return true
  }
  return false
}

/** Whether the policy could allow a call of this tool to anybody who would undo something for this caller: itself, its user, or a person who decides. */
export const couldBeUndoneWith = (policy: Policy, caller: Caller, tool: Tool): boolean =>
  [caller, ...UNDOING.map((kind): Caller => ({ kind, id: `${kind}:${caller.user}`, user: caller.user }))].some((one) =>
    couldPermit(policy, one, tool),
  )
const UNDOING = ['user', 'approver', 'admin'] as const

function opinionsIn(layer: Layer, caller: Caller, tool: Tool): PossibleOpinions {
  const opinions = opinionsOf(layer, caller, tool)
  return {
    certain: opinions.filter(({ depends }) => depends.length === 0),
    possible: opinions.filter(({ depends }) => depends.length > 0),
  }
}

function opinionsOf(layer: Layer, caller: Caller, tool: Tool): PossibleOpinion[] {
  const { now, ...call } = UNKNOWN_YET
  const known = { caller, ...call }
  const facts = { now, tool, ...(tool.tags === undefined ? {} : { tags: tool.tags }) }
  const scope = scopeOf(known, facts)
  return matchingRules(layer, known, facts).flatMap(({ rule, unknown }) => {
    const fits = unknown === undefined ? holds(rule.when, scope) : ['session' as const]
    return fits === false ? [] : [opinionOf(rule, fits)]
  })
}

/**
 * The variables a condition depends on, or its result if it needs only the tool and the caller. A condition without a result
 * blocks.
 */
function holds(when: Condition | undefined, scope: Scope): false | 'fails' | readonly Variable[] {
  if (when === undefined) return []
  const open = [...when.reads].filter((variable) => variable !== 'tool' && variable !== 'caller')
  if (open.length > 0) return open
  const answer = evaluate(when, scope)
  if (answer instanceof Failure) return 'fails'
  return answer ? [] : false
}

function opinionOf({ rule }: CompiledRule, fits: 'fails' | readonly Variable[]): PossibleOpinion {
  const { id, effect, strength = 'simple', says } = rule
  if (fits === 'fails') return { effect: 'block', rule: id, says: 'its condition cannot be evaluated', depends: [] }
  const opinion = { effect, rule: id, says, depends: fits }
  return effect === 'ask' ? { ...opinion, strength } : opinion
}
