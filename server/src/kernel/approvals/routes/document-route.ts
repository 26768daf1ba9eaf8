import type { ChatNames, ChosenRoute, DocumentApprovals } from '../../contract/routes.ts'
import type { RouteFact } from '../../decide/facts.ts'
import { documentGroup, membersOf, type Groups } from './seats.ts'

/**
 * The route of a call made by a document. A document can narrow who decides, never widen it: members of an operator's group must
 * also be named by the document. The operator's channels are kept.
 */
export function withDocument(
  route: RouteFact | undefined,
  { document, approvers, room }: DocumentApprovals,
  groups: Groups,
  chat: ChatNames = { people: new Map(), rooms: new Map() },
): RouteFact | undefined {
  const channel = room === undefined ? undefined : chat.rooms.get(room)
  if (approvers.length === 0 && channel === undefined) return route
  const group = documentGroup(document)
  const chosen: ChosenRoute = {
    id: group,
    people: 1,
    ...(approvers.length === 0 ? {} : { group }),
    ...(channel === undefined ? {} : { channels: [channel] }),
    ...route?.chosen,
    ...(approvers.length === 0 ? {} : { approvers: approvers.map((mxid) => userOf(mxid, chat)) }),
  }
  const members = membersOf({ route: chosen }, groups)
  const escalated = membersOf({ route: { ...chosen, escalated_at: 0 } }, groups)
  return {
    chosen,
    strength: route?.strength ?? 'simple',
    ...(members === undefined ? {} : { members }),
    ...(escalated === undefined ? {} : { escalated }),
  }
}

/** As mapped by the operator, otherwise the name in `@name:server`. */
const userOf = (mxid: string, { people }: ChatNames): string => people.get(mxid) ?? mxid.slice(1).split(':', 1)[0] ?? ''
