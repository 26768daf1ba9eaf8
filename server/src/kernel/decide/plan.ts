import type { Call } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import type { Decider, PlannedJudge, Subject } from './decider.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/** The part of a verdict that is the same for all calls of one subject: which rules match, and which deciders can have an opinion. */
export type Plan = Subject & {
  readonly deciders: readonly Decider[]
  readonly judges: readonly { readonly name: string; readonly judge: PlannedJudge }[]
}

/** Makes a plan by asking the deciders, in their order. A decider without plans is asked for each call. */
export function makePlan(subject: Subject, deciders: readonly Decider[]): Plan {
  const { policy, caller, tool, tags, lane } = subject
  const judges = deciders.flatMap(({ name, judge, plan }) => {
    const planned = plan === undefined ? (call: Call, facts: Facts) => judge(policy, call, facts) : plan(subject)
    return planned === undefined ? [] : [{ name, judge: planned }]
  })
  // Only these, because a plan outlives the request.
  const { id, user, kind } = caller
  return { policy, caller: { id, user, kind }, tool, tags, lane, deciders, judges }
}

/** How many plans are cached per tool. With more callers than this, plans are created again. */
const MOST_PER_TOOL = 32
const plans = new WeakMap<Tool, Plan[]>()

/**
 * The plan for a call's subject, created once.
 * INVARIANT: a plan is used only with the policy, tool, tags, lane, caller and deciders that it was made from. Policies and tools are never
 * modified: a new policy, definition, admission, pack or configuration is a new object, and so a new subject.
 */
export function planFor(
  policy: Policy,
  { caller }: Pick<Call, 'caller'>,
  facts: Facts,
  deciders: readonly Decider[],
): Plan {
  const { tool, tags, lane } = facts
  const known = plans.get(tool)
  if (known !== undefined)
    for (const plan of known)
      if (
        plan.policy === policy &&
        plan.deciders === deciders &&
        plan.tags === tags &&
        plan.lane === lane &&
        plan.caller.id === caller.id &&
        plan.caller.user === caller.user &&
        plan.caller.kind === caller.kind
      )
        return plan
  const made = makePlan({ policy, caller, tool, tags, lane }, deciders)
  // The effects of such a tool depend on its command, so every call has its own tool object.
  if (tool.shell !== undefined) return made
  const kept = known?.filter((plan) => plan.policy === policy).slice(0, MOST_PER_TOOL - 1) ?? []
  plans.set(tool, [made, ...kept])
  return made
}
