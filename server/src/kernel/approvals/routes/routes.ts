import type { Call } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import type { ApprovalGroups, ApprovalRoute, ChatNames, ChosenRoute } from '../../contract/routes.ts'
import { STRENGTHS, type Strength, type Verdict } from '../../contract/verdict.ts'
import type { Tool } from '../../contract/tool.ts'
import { foldedName } from '../../contract/folded-name.ts'
import { argsOf } from '../../attempt/call-args.ts'
import { childrenOf } from '../../text/text-leaves.ts'
import type { RouteFact } from '../../decide/facts.ts'
import { matchesGlob, parseGlob, type Glob } from '../../policy/glob.ts'
import { documentGroup, membersOf, type Groups } from './seats.ts'

/** The active groups, and the routes in the order in which they are tried. */
export type ApprovalRoutes = {
  readonly groups: Groups
  readonly routes: readonly CompiledRoute[]
  /** Users of this gate by their chat names, and channels by their rooms. */
  readonly chat?: ChatNames
}

export type CompiledRoute = {
  readonly route: ApprovalRoute
  readonly tool?: readonly Glob[]
  readonly server?: readonly Glob[]
  readonly caller?: readonly Glob[]
}

export const NO_ROUTES: ApprovalRoutes = { groups: new Map(), routes: [] }

type Stated = { readonly groups: ApprovalGroups; readonly routes: readonly ApprovalRoute[] }

export function compileRoutes({ groups, routes }: Stated): ApprovalRoutes {
  return {
    groups: new Map(Object.entries(groups).map(([name, people]) => [name, new Set(people)])),
    routes: routes.map((route) => {
      const { tool, server, caller } = route.match
      return {
        route,
        ...(tool === undefined ? {} : { tool: tool.map(parseGlob) }),
        ...(server === undefined ? {} : { server: server.map(parseGlob) }),
        ...(caller === undefined ? {} : { caller: caller.map(parseGlob) }),
      }
    }),
  }
}

type RoutedCall = Pick<Call, 'caller' | 'canonical_args'>
type RoutedTool = Pick<Tool, 'effects' | 'risk' | 'amounts'> & { readonly row: Pick<Tool['row'], 'tool_id' | 'server'> }

/** The first matching route, as stored with the call. Pure and total. */
export function chooseRoute({ routes }: ApprovalRoutes, call: RoutedCall, tool: RoutedTool): ChosenRoute | undefined {
  const found = routes.find((one) => isMatch(one, call, tool))
  return found === undefined ? undefined : chosenOf(found.route)
}

/** A route without its match. */
export function chosenOf({ id, group, people, channel, expires, escalation }: ApprovalRoute): ChosenRoute {
  return {
    id,
    people,
    ...(group === undefined ? {} : { group }),
    ...(channel === undefined ? {} : { channels: channel }),
    ...(expires === undefined ? {} : { expires_ms: expires }),
    ...(escalation === undefined
      ? {}
      : {
          escalation: {
            after_ms: escalation.after,
            to: escalation.to,
            ...(escalation.channel === undefined ? {} : { channels: escalation.channel }),
          },
        }),
  }
}

/** The approval strength of a request: the stronger of what its verdict and its route require. */
export function strongestOf(strength: Strength = 'simple', route: Pick<RouteFact, 'chosen' | 'strength'>): Strength {
  const wanted = [strength, route.strength, route.chosen.people > 1 ? 'two_person' : 'simple']
  return STRENGTHS.findLast((one) => wanted.includes(one)) ?? 'simple'
}

/** Adds to an ask who is asked, for a call that was judged elsewhere, by a node. A document narrows who decides. */
export function withRoute(
  routes: ApprovalRoutes,
  asked: Verdict,
  call: RoutedCall,
  tool: RoutedTool,
  document?: { readonly name: string; readonly approvers: readonly string[] },
): Verdict {
  const fact = routeFact(routes, call, tool)
  const strength = fact === undefined ? asked.strength : strongestOf(asked.strength, fact)
  const of = strength === undefined ? {} : { strength }
  if (document === undefined) return fact === undefined ? asked : { ...asked, ...of, route: fact.chosen }
  const group = documentGroup(document.name)
  const route: ChosenRoute = { id: group, people: 1, group, ...fact?.chosen, approvers: document.approvers }
  return { ...asked, ...of, route }
}

/** The route of a call as a fact: with the current members of its groups. */
export function routeFact(routes: ApprovalRoutes, call: RoutedCall, tool: RoutedTool): RouteFact | undefined {
  const chosen = chooseRoute(routes, call, tool)
  if (chosen === undefined) return undefined
  const strength = routes.routes.find(({ route }) => route.id === chosen.id)?.route.strength ?? 'simple'
  const members = membersOf({ route: chosen }, routes.groups)
  const escalated = membersOf({ route: { ...chosen, escalated_at: 0 } }, routes.groups)
  return {
    chosen,
    strength,
    ...(members === undefined ? {} : { members }),
    ...(escalated === undefined ? {} : { escalated }),
  }
}

function isMatch({ route, tool: tools, server, caller }: CompiledRoute, call: RoutedCall, tool: RoutedTool): boolean {
  const { effects, risk, amount } = route.match
  return (
    hasName(tools, tool.row.tool_id) &&
    hasName(server, tool.row.server) &&
    hasName(caller, call.caller.id) &&
    (effects === undefined || effects.some((effect) => tool.effects.includes(effect))) &&
    (risk === undefined || risk.includes(tool.risk)) &&
    (amount === undefined || isLarge(amount, argsOf(call), tool.amounts))
  )
}

const hasName = (globs: readonly Glob[] | undefined, name: string): boolean =>
  globs === undefined || globs.some((glob) => matchesGlob(glob, name))

/**
 * INVARIANT: an unreadable amount counts as large, so no spelling of a number leads to fewer approvers, and no second field of the same name
 * in another letter case.
 */
function isLarge(
  { at, from }: NonNullable<ApprovalRoute['match']['amount']>,
  args: Json,
  known: readonly string[] = [],
): boolean {
  const pointers = at ?? known
  if (pointers.every((pointer) => valuesAt(args, pointer, (name) => name).length === 0)) return true
  const values = pointers.flatMap((pointer) => valuesAt(args, pointer, foldedName))
  return values.some((value) => typeof value !== 'number' || !(Math.abs(value) < from))
}

/** The values at a pointer, of all fields that `fold` gives the same name. */
function valuesAt(args: Json, pointer: string, fold: (name: string) => string): readonly Json[] {
  let found: readonly Json[] = [args]
  for (const part of pointer.slice(1).split('/')) {
    const key = fold(part.replaceAll('~1', '/').replaceAll('~0', '~'))
    found = found.flatMap((value) => childrenOf(value).flatMap(([name, child]) => (fold(name) === key ? [child] : [])))
  }
  return found
}
