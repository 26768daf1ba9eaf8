import type { z } from 'zod'
import type { ApprovalGroups, ApprovalRoute, RouteMatch } from './routes.ts'

export type StatedRoutes = { readonly groups: ApprovalGroups; readonly routes: readonly ApprovalRoute[] }

type Fault = { readonly path: readonly (string | number)[]; readonly message: string }

/** Contradictions in a configuration's routes. `channels`: the names of the configured channels. */
export function routeFaults({ groups, routes }: StatedRoutes, channels?: readonly string[]): Fault[] {
  return routes.flatMap((route, at) => {
    const faults = [...groupFaults(route, groups), ...escalationFaults(route, groups)]
    if (channels !== undefined) faults.push(...channelFaults(route, channels))
    const twin = routes.findIndex(({ id }) => id === route.id)
    if (twin < at) faults.push({ path: ['id'], message: `two routes are called \`${route.id}\`` })
    const hiding = routes.slice(0, at).find(({ match }) => hides(match, route.match))
    if (hiding !== undefined)
      faults.push({
        path: ['match'],
        message: `never reached: the route \`${hiding.id}\` before it matches all of these calls; move this one up`,
      })
    return faults.map(({ path, message }) => ({ path: ['approvals', 'routes', at, ...path], message }))
  })
}

export function refuseBadRoutes(stated: StatedRoutes, channels: readonly string[], context: z.RefinementCtx): void {
  for (const { path, message } of routeFaults(stated, channels))
    context.addIssue({ code: 'custom', path: [...path], message })
}

function groupFaults({ group, people }: ApprovalRoute, groups: ApprovalGroups): Fault[] {
  if (group === undefined) return []
  const members = Object.hasOwn(groups, group) ? groups[group] : undefined
  if (members === undefined) return [{ path: ['group'], message: `there is no group \`${group}\` in approvals.groups` }]
  if (members.length >= people) return []
  return [{ path: ['people'], message: `${people} people are asked, and the group \`${group}\` has ${members.length}` }]
}

function escalationFaults({ group, escalation, expires }: ApprovalRoute, groups: ApprovalGroups): Fault[] {
  if (escalation === undefined) return []
  const { to, after } = escalation
  const faults: Fault[] = []
  if (group === undefined)
    faults.push({ path: ['escalation'], message: 'needs a `group`: without one everybody is asked from the start' })
  if (!Object.hasOwn(groups, to))
    faults.push({ path: ['escalation', 'to'], message: `there is no group \`${to}\` in approvals.groups` })
  else if (to === group)
    faults.push({ path: ['escalation', 'to'], message: 'this is the group that is asked from the start' })
  if (expires !== undefined && after >= expires)
    faults.push({ path: ['escalation', 'after'], message: 'the request expires before that' })
  return faults
}

function channelFaults({ channel = [], escalation }: ApprovalRoute, channels: readonly string[]): Fault[] {
  const named = [
    ...channel.map((name) => ({ path: ['channel'], name })),
    ...(escalation?.channel ?? []).map((name) => ({ path: ['escalation', 'channel'], name })),
  ]
  return named
    .filter(({ name }) => !channels.includes(name))
    .map(({ path, name }) => ({ path, message: `there is no channel \`${name}\` in \`channels\`` }))
}

/** Whether the first one already matches every call that the second one matches. False if unsure. */
function hides(first: RouteMatch, second: RouteMatch): boolean {
  return (
    coversNames(first.tool, second.tool) &&
    coversNames(first.server, second.server) &&
    coversNames(first.caller, second.caller) &&
    coversWords(first.effects, second.effects) &&
    coversWords(first.risk, second.risk) &&
    coversAmount(first.amount, second.amount)
  )
}

function coversNames(first: readonly string[] | undefined, second: readonly string[] | undefined): boolean {
  if (first === undefined) return true
  return second?.every((pattern) => first.some((wider) => isWider(wider, pattern))) ?? first.includes('*')
}

/** Only the plain cases: the same pattern, or one star at the end. */
const isWider = (wider: string, pattern: string): boolean =>
  wider === pattern || (/^[^*?]*\*$/.test(wider) && pattern.startsWith(wider.slice(0, -1)))

const coversWords = (first: readonly string[] | undefined, second: readonly string[] | undefined): boolean =>
  first === undefined || (second?.every((word) => first.includes(word)) ?? false)

function coversAmount(first: RouteMatch['amount'], second: RouteMatch['amount']): boolean {
  if (first === undefined) return true
  if (second === undefined || first.from > second.from) return false
  const { at } = first
  // Without their own fields, both use those of the pack.
  if (at === undefined || second.at === undefined) return at === second.at
  return second.at.every((one) => at.includes(one))
}
