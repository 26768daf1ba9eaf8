import { z } from 'zod'
import { UserName } from './caller.ts'
import { RiskClass, ToolEffect } from './tool.ts'

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name has 1 to 32 lower-case letters, digits and `-`')

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const LONGEST_MS = 365 * UNITS.d

/** `30s`, `15m`, `8h`, `2d` in milliseconds; undefined for anything else, for zero, and for more than a year. */
export function durationMs(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS[unit as keyof typeof UNITS] ?? 0)
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined
}

/** `15m`, for people: in the largest unit without a fraction. */
export function spellDuration(ms: number): string {
  const units = (['d', 'h', 'm', 's'] as const).find((unit) => ms % UNITS[unit] === 0)
  return units === undefined ? `${Math.round(ms / 1000)}s` : `${ms / UNITS[units]}${units}`
}

/** In milliseconds; written as `30s`, `15m`, `8h` or `2d`. */
const Duration = z
  .string()
  .refine((text) => durationMs(text) !== undefined, 'write a time such as 30s, 15m, 8h or 2d, at most 365d')
  .transform((text) => durationMs(text) ?? 0)

const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.union([item.transform((one) => [one]), z.array(item).min(1).max(100)])
const globs = oneOrMore(z.string().min(1).max(128))

/** All given fields must match; a list matches if one of its entries does. */
export const RouteMatch = z.strictObject({
  /** The tool's id, `server__tool`, as a glob. */
  tool: globs.optional().describe('Tool ids, as globs: `bank__*`.'),
  server: globs.optional().describe('Names of tool servers, as globs.'),
  effects: oneOrMore(ToolEffect).optional().describe('Effects of the tool; one match is enough.'),
  risk: oneOrMore(RiskClass).optional().describe('Risk classes: `low`, `medium`, `high`, `critical`.'),
  /** The caller's id, `kind:name`, as a glob. */
  caller: globs.optional().describe('Callers, as globs: `agent:claude`.'),
  amount: z
    .strictObject({
      at: oneOrMore(z.string().regex(/^(?:\/[^/]*)+$/, 'a JSON pointer, such as /amount'))
        .optional()
        .describe(
          'The arguments that contain the amount, as JSON pointers: `/amount`. By default those that the pack of the server names.',
        ),
      from: z.number().describe('From this amount on. A missing or non-numeric amount counts as large.'),
    })
    .optional()
    .describe('Only calls with a large amount.'),
})
export type RouteMatch = z.infer<typeof RouteMatch>

export const ApprovalRoute = z.strictObject({
  id: Name.describe('A name for the route, shown to approvers.'),
  match: RouteMatch.prefault({}).describe('Which calls; all given fields must match.'),
  /** Only these people decide. Without it, everybody with the approver role. */
  group: Name.optional().describe('Only members of this group decide, see and edit the request.'),
  people: z.int().min(1).max(20).default(1).describe('How many of them have to approve. The requester never counts.'),
  strength: z.enum(['simple', 'strong']).optional().describe('`strong` asks each of them for a strong approval.'),
  channel: oneOrMore(Name).optional().describe('The only channels that announce these requests.'),
  expires: Duration.optional().describe('How long such a request waits: `30m`, `8h`, `2d`.'),
  escalation: z
    .strictObject({
      after: Duration.describe('After this time: `15m`.'),
      to: Name.describe('The group that is asked too.'),
      channel: oneOrMore(Name).optional().describe('Channels that announce it, in addition to those of the route.'),
    })
    .optional()
    .describe('Asks another group if too few people have decided.'),
})
export type ApprovalRoute = z.infer<typeof ApprovalRoute>

const Group = z
  .array(UserName)
  .min(1)
  .max(200)
  .refine((people) => new Set(people).size === people.length, 'the same person is listed twice')

export const ApprovalGroups = z.record(Name, Group)
export type ApprovalGroups = z.infer<typeof ApprovalGroups>

export const RouteSettings = {
  groups: ApprovalGroups.default({}).describe('Groups of approvers, each a list of users.'),
  routes: z
    .array(ApprovalRoute)
    .max(200)
    .default([])
    .describe(
      'Who is asked about which calls; the first matching route applies. Without routes, every approver is asked.',
    ),
}

/** The route of a held call. In the verdict, and so on the call's row. */
export const ChosenRoute = z.strictObject({
  id: z.string(),
  group: z.string().optional(),
  /** For a call of a workflow document that names its approvers: nobody else of the group decides. */
  approvers: z.array(z.string()).readonly().optional(),
  people: z.number().int(),
  channels: z.array(z.string()).readonly().optional(),
  expires_ms: z.number().optional(),
  escalation: z
    .strictObject({ after_ms: z.number(), to: z.string(), channels: z.array(z.string()).readonly().optional() })
    .optional(),
})
export type ChosenRoute = z.infer<typeof ChosenRoute>

/** The same on the approval's row, with its times. */
export type AskedRoute = ChosenRoute & {
  /** When the escalation is due. */
  readonly escalates_at?: number
  /** When it happened. From then on the other group is asked too. */
  readonly escalated_at?: number
}

/** People and rooms of chats, as configured by the operator. */
export type ChatNames = {
  readonly people: ReadonlyMap<string, string>
  readonly rooms: ReadonlyMap<string, string>
}

/** A workflow document's settings for its approvals. */
export type DocumentApprovals = {
  /** `name@version`. */
  readonly document: string
  readonly approvers: readonly string[]
  readonly room?: string
}

/** Who is asked and who has answered, as shown in the packet. */
export const WhoIsAsked = z.object({
  route: z.string().optional(),
  groups: z.array(z.object({ name: z.string(), people: z.array(z.string()) })),
  /** How many people have to approve, how many valid approvals there are, and how many are missing. */
  people: z.number().int(),
  approved: z.number().int(),
  missing: z.number().int(),
  /** How many people can approve now, if it is known and fewer than have to. The requester does not count. */
  able: z.number().int().optional(),
  escalates_at: z.number().optional(),
  escalates_to: z.string().optional(),
  escalated_at: z.number().optional(),
})
export type WhoIsAsked = z.infer<typeof WhoIsAsked>
