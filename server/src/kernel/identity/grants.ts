import { asProgram, DECIDING_KINDS, FlowRole, flowRoleOf, PROGRAM_KINDS, type Caller } from '../contract/caller.ts'
import { isSameCaller } from '../contract/caller-identity.ts'

/** What of a caller its credential decides, and not its name. */
export type Granted = Pick<Caller, 'kind' | 'grant' | 'speaks_for_user' | 'flow_role' | 'vault'>

const ROLES = FlowRole.options

/** Whether a credential grants at least what another one does. */
export function grantsAtLeast(one: Granted, other: Granted): boolean {
  return (
    one.kind === other.kind &&
    toolsCover(one.grant?.tools, other.grant?.tools) &&
    callsCover(one.grant?.calls, other.grant?.calls) &&
    (one.speaks_for_user === true || other.speaks_for_user !== true) &&
    ROLES.indexOf(flowRoleOf(one)) >= ROLES.indexOf(flowRoleOf(other)) &&
    (one.vault === undefined || one.vault === other.vault)
  )
}

/**
 * Whether a caller may continue what another credential began: the same caller, and nothing in it is outside of its own grant. Two keys
 * of one name are one caller, but the smaller of them gets nothing through the other. A person's own MCP client has the kind of a program;
 * what it calls is still the person's.
 */
export function mayContinue(caller: Caller, maker: Caller): boolean {
  return isSameCaller(caller, maker) && grantsAtLeast(asProgram(caller), asProgram(maker))
}

/**
 * Whether a caller may read what somebody's credential got from several tools: approvers anything, programs what they may continue,
 * people what was made in their name with tools that they may use themselves.
 */
export function mayReadWorkOf(caller: Caller, maker: Caller): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  if (PROGRAM_KINDS.includes(caller.kind)) return mayContinue(caller, maker)
  return caller.user === maker.user && toolsCover(caller.grant?.tools, maker.grant?.tools)
}

const callsCover = (one: number | undefined, other: number | undefined): boolean =>
  one === undefined || (other !== undefined && one >= other)

function toolsCover(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (one === undefined) return true
  return other !== undefined && other.every((narrow) => one.some((wide) => globCovers(wide, narrow)))
}

/**
 * Whether every name that `narrow` matches is also matched by `wide`. It follows all positions in `wide` at once, so it takes at most the
 * product of the lengths. A pair that it cannot decide counts as not covered.
 */
export function globCovers(wide: string, narrow: string): boolean {
  let at = withStars(wide, new Set([0]))
  for (const char of narrow) {
    const next = new Set<number>()
    for (const place of at) {
      if (wide[place] === '*') next.add(place)
      else if (char !== '*' && (wide[place] === '?' || wide[place] === char)) next.add(place + 1)
    }
    at = withStars(wide, next)
  }
  return at.has(wide.length)
}

/** A star may also match nothing. */
function withStars(wide: string, places: Set<number>): Set<number> {
  // A set visits what is added to it meanwhile.
  for (const place of places) if (wide[place] === '*') places.add(place + 1)
  return places
}
