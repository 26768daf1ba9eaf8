import type { Caller } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import { STRENGTHS } from '../contract/verdict.ts'
import type { Variable } from './condition/type.ts'
import { possibleOpinions, type PossibleOpinion } from './possible-opinions.ts'
import type { Policy } from './policy.ts'

const STRENGTH_WORDS = { simple: 'simple', strong: 'strong', two_person: 'two people' } as const
const DEPENDS_ON: Readonly<Record<Variable, string>> = {
  args: 'the arguments',
  time: 'the time',
  session: 'the session',
  labels: 'what the session has read',
  tool: 'the tool',
  caller: 'the caller',
}
const NO_MATCH: PossibleOpinion = {
  effect: 'block',
  rule: 'policy.no_rule',
  says: 'no rule of the policy matches',
  depends: [],
}

/**
 * Describes how calls to this tool will be judged, before their arguments are known: what is certain, and what depends on what.
 * Rules are described by their own sentences; their conditions are not shown, so that a caller cannot stay just below a limit.
 */
export function describeJudgement(policy: Policy, caller: Caller, tool: Tool): string {
  if (policy.mode === 'observe') return 'runs: the gate only observes'
  const [operator, preset] = possibleOpinions(policy, caller, tool)
  const certain = operator?.certain.length === 0 ? (preset?.certain ?? []) : (operator?.certain ?? [])
  const base = strictest([...(certain.length === 0 ? [NO_MATCH] : certain), ...newDefinition(tool)])
  const open = operator?.certain.length === 0 ? [operator, preset] : [operator]
  const otherwise = open
    .flatMap((layer) => layer?.possible ?? [])
    // A rule that may apply instead of the preset is always listed; next to a certain rule only if it is stricter.
    .filter((may) => isStricter(may, base) || (preset !== undefined && levelOf(may) !== levelOf(base)))
  return [say(base), ...otherwise.map((may) => `or, depending on ${sayOpen(may)}, ${say(may)}`)].join('; ')
}

/** A definition that nobody has admitted is asked about, whatever the policy says. */
function newDefinition({ row }: Tool): PossibleOpinion[] {
  if (row.admitted?.hash === row.definition_hash) return []
  const says = row.admitted === undefined ? 'the tool is new and has not been admitted' : 'the tool has changed'
  return [{ effect: 'ask', strength: 'strong', rule: 'definition', says, depends: [] }]
}

function levelOf({ effect, strength = 'simple' }: PossibleOpinion): number {
  if (effect === 'allow') return -1
  return effect === 'block' ? STRENGTHS.length : STRENGTHS.indexOf(strength)
}

const isStricter = (one: PossibleOpinion, other: PossibleOpinion): boolean => levelOf(one) > levelOf(other)

const strictest = (opinions: readonly PossibleOpinion[]): PossibleOpinion =>
  opinions.reduce((most, one) => (isStricter(one, most) ? one : most))

function say({ effect, strength = 'simple', says }: PossibleOpinion): string {
  const word = effect === 'allow' ? 'runs' : effect === 'block' ? 'blocked' : `held (${STRENGTH_WORDS[strength]})`
  return `${word}: ${says}`
}

const sayOpen = ({ depends }: PossibleOpinion): string => depends.map((variable) => DEPENDS_ON[variable]).join(' and ')
