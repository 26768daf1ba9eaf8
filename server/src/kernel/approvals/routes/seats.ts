import { foldedName, isSameName } from '../../contract/folded-name.ts'
import type { ApprovalRow, Decision } from '../../contract/approval.ts'
import type { ChosenRoute, WhoIsAsked } from '../../contract/routes.ts'
import type { Strength } from '../../contract/verdict.ts'

/** The members of each group, by `user`. */
export type Groups = ReadonlyMap<string, ReadonlySet<string>>

/** Who may decide one request, at the moment of a decision. */
export type AskedMembers = {
  /** The people who are asked; absent: everybody with the approver role. */
  readonly members?: ReadonlySet<string>
  /** The people that the decider substitutes, in the order in which they delegated. */
  readonly substitutes_for: readonly string[]
}

type Routed = Pick<ApprovalRow, 'route'>

/**
 * The people who are asked now: the group, and after an escalation the other group too. Undefined: everybody with the approver
 * role.
 */
export function membersOf({ route }: Routed, groups: Groups): ReadonlySet<string> | undefined {
  if (route?.group === undefined) return undefined
  const other = route.escalated_at === undefined ? undefined : route.escalation?.to
  return new Set([...peopleOf(route.group, route, groups), ...(other === undefined ? [] : (groups.get(other) ?? []))])
}

/** A document's group consists of the approvers it names. No configured group can have such a name. */
export const documentGroup = (document: string): string => `document ${document}`

/** A group that is no longer configured has no members: nobody decides, and the request expires. */
function peopleOf(name: string, { approvers, group }: ChosenRoute, groups: Groups): readonly string[] {
  const people = [...(groups.get(name) ?? [])]
  if (approvers === undefined || name !== group) return people
  return name.startsWith(documentGroup('')) ? approvers : people.filter((person) => approvers.includes(person))
}

/** How many people have to approve. */
export const peopleNeeded = ({
  route,
  strength,
}: {
  readonly route?: Pick<ChosenRoute, 'people'> | undefined
  readonly strength?: Strength | undefined
}): number => Math.max(route?.people ?? 1, strength === 'two_person' ? 2 : 1)

/** The seat that a decision used: the person's own, or that of the member they decided for. */
export const seatOf = ({ user, for: seat }: Pick<Decision, 'user' | 'for'>): string => seat ?? user

/** The seats that somebody can decide for. Their own comes first. */
export function seatsFor(user: string, { members, substitutes_for }: AskedMembers): readonly string[] {
  if (members === undefined) return [user]
  return [...new Set([user, ...substitutes_for])].filter((seat) => members.has(seat))
}

/** An approval that still counts: its key was not revoked. */
export const isStandingApproval = ({ says, ended_at }: Pick<Decision, 'says' | 'ended_at'>): boolean =>
  says === 'approve' && ended_at === undefined

/** Whether somebody is asked at all. */
export const isAsked = (user: string, asked: AskedMembers): boolean => seatsFor(user, asked).length > 0

/**
 * How many approvals count.
 * INVARIANT: a person counts once, a seat counts once, and if a group or several people are asked, neither the requester nor the
 * requester's seat counts. Neither former members nor revoked keys count. Two spellings of a name are one person.
 */
export function countApprovals(
  decisions: readonly Decision[],
  requester: string,
  members: ReadonlySet<string> | undefined,
): number {
  const people = new Set<string>()
  const seats = new Set<string>()
  for (const decision of decisions) {
    const seat = seatOf(decision)
    const isOwn = isSameName(decision.user, requester) || isSameName(seat, requester)
    const isMember = members === undefined || (members.has(seat) && decision.how !== 'token')
    if (!isStandingApproval(decision) || isOwn || !isMember) continue
    if (people.has(foldedName(decision.user)) || seats.has(foldedName(seat))) continue
    people.add(foldedName(decision.user))
    seats.add(foldedName(seat))
  }
  return people.size
}

type Request = Pick<ApprovalRow, 'route' | 'strength' | 'decisions' | 'caller'>

/** Who is asked and who has answered, for display. */
export function whoIsAsked(row: Request, groups: Groups): WhoIsAsked {
  const { route, decisions, caller } = row
  const members = membersOf(row, groups)
  const people = peopleNeeded(row)
  const isOne = members === undefined && people === 1
  const approved = isOne
    ? Math.min(1, decisions.filter(isStandingApproval).length)
    : countApprovals(decisions, caller.user, members)
  const named = [route?.group, route?.escalated_at === undefined ? undefined : route.escalation?.to]
  return {
    ...(route === undefined ? {} : { route: route.id }),
    groups: named.flatMap((name) =>
      name === undefined || route === undefined ? [] : [{ name, people: [...peopleOf(name, route, groups)] }],
    ),
    people,
    approved: Math.min(approved, people),
    missing: Math.max(0, people - approved),
    ...(route?.escalates_at === undefined ? {} : { escalates_at: route.escalates_at }),
    ...(route?.escalation === undefined ? {} : { escalates_to: route.escalation.to }),
    ...(route?.escalated_at === undefined ? {} : { escalated_at: route.escalated_at }),
  }
}
