import type { Caller } from '../contract/caller.ts'
import type { RoutesAnswer } from '../contract/delegation.ts'
import { ok, type Result } from '../contract/problems.ts'
import { mayDecide } from './may-decide.ts'
import { chosenOf, type ApprovalRoutes } from './routes/routes.ts'

/** The active routes and groups, for approvers. */
export function showRoutes(
  { routes: { groups, routes } }: { readonly routes: ApprovalRoutes },
  by: Caller,
): Result<RoutesAnswer> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  return ok({
    groups: Object.fromEntries([...groups].map(([name, people]) => [name, [...people]])),
    routes: routes.map(({ route }) => ({
      ...chosenOf(route),
      strength: route.strength ?? 'simple',
      match: route.match,
    })),
  })
}
