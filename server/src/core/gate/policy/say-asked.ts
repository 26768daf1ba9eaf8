import type { Caller } from '../../../contract/caller.ts'
import type { Tool } from '../../../contract/tool.ts'
import { STRENGTHS } from '../../../contract/verdict.ts'
import type { Variable } from './condition/type.ts'
import { foresee, type Prospect } from './foresee.ts'
import type { Policy } from './policy.ts'

const STRENGTH_WORDS = { simple: 'simple', strong: 'strong', two_person: 'two people' } as const
const HANGS_ON: Readonly<Record<Variable, string>> = {
  args: 'the arguments',
  time: 'the time',
  session: 'the session',
  labels: 'what the session has read',
  tool: 'the tool',
  caller: 'the caller',
}
const SILENT: Prospect = {
  effect: 'block',
  rule: 'policy.no_rule',
  says: 'no rule of the policy matches',
  depends: [],
}

/**
 * Describes how calls to this tool will be judged, before their arguments are known: what is certain, and what depends on what.
 * Rules are described by their own sentences; their conditions are not shown, so that a caller cannot stay just below a limit.
 */
export function sayAsked(policy: Policy, caller: Caller, tool: Tool): string {
  if (policy.mode === 'observe') return 'runs: the gate only observes'
  const [operator, preset] = foresee(policy, caller, tool)
  const sure = operator?.surely.length === 0 ? (preset?.surely ?? []) : (operator?.surely ?? [])
  const base = strictest([...(sure.length === 0 ? [SILENT] : sure), ...newness(tool)])
  const open = operator?.surely.length === 0 ? [operator, preset] : [operator]
  const otherwise = open
    .flatMap((layer) => layer?.perhaps ?? [])
    // A rule that may apply instead of the preset is always listed; next to a certain rule only if it is stricter.
    .filter((may) => isStricter(may, base) || (preset !== undefined && levelOf(may) !== levelOf(base)))
  return [say(base), ...otherwise.map((may) => `or, depending on ${sayOpen(may)}, ${say(may)}`)].join('; ')
}

/** A definition that nobody has admitted is asked about, whatever the policy says. */
function newness({ row }: Tool): Prospect[] {
  if (row.admitted?.hash === row.definition_hash) return []
  const says = row.admitted === undefined ? 'the tool is new and has not been admitted' : 'the tool has changed'
  return [{ effect: 'ask', strength: 'strong', rule: 'definition', says, depends: [] }]
}

function levelOf({ effect, strength = 'simple' }: Prospect): number {
  if (effect === 'allow') return -1
  return effect === 'block' ? STRENGTHS.length : STRENGTHS.indexOf(strength)
}

const isStricter = (one: Prospect, other: Prospect): boolean => levelOf(one) > levelOf(other)

const strictest = (prospects: readonly Prospect[]): Prospect =>
  prospects.reduce((most, one) => (isStricter(one, most) ? one : most))

function say({ effect, strength = 'simple', says }: Prospect): string {
  const word = effect === 'allow' ? 'runs' : effect === 'block' ? 'blocked' : `held (${STRENGTH_WORDS[strength]})`
  return `${word}: ${says}`
}

const sayOpen = ({ depends }: Prospect): string => depends.map((variable) => HANGS_ON[variable]).join(' and ')
