import { z } from 'zod'
import { ChannelEvent, ChannelName, MatrixUser, RoomId, SecretReference } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'

const TOLD_IN_CHAT = [
  'approval.pending',
  'approval.approved',
  'approval.denied',
  'approval.edited',
  'approval.expired',
  'approval.stale',
  'approval.withdrawn',
  'call.executed',
  'call.failed',
  'call.unknown',
] as const

/** A Matrix room in which approvers are notified of requests and answer. */
export const MatrixChannelSettings = z
  .strictObject({
    name: ChannelName.describe('A name for the channel.'),
    homeserver: HttpUrl.describe('The address of the homeserver.'),
    user: MatrixUser.describe("The gate's own user there."),
    token: SecretReference.optional().describe(
      'Its access token, as `env:NAME` or `file:PATH`. Encrypted rooms need a password instead.',
    ),
    /** Instead of a token: each start is a new device, which encrypted rooms need. */
    password: SecretReference.optional().describe(
      'Its password, as `env:NAME` or `file:PATH`. Each start logs in as a new device.',
    ),
    room: RoomId.describe('The id of the room, which begins with `!`. The gate accepts the invitation.'),
    events: z
      .array(ChannelEvent)
      .min(1)
      .default([...TOLD_IN_CHAT])
      .describe('The events to send.'),
    people: z
      .record(
        MatrixUser,
        z.strictObject({
          approver: z
            .string()
            .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/)
            .describe('The approver who makes these decisions.'),
          user: z.string().min(1).max(128).optional().describe('The person behind that approver.'),
        }),
      )
      .describe('The Matrix users who may decide. Everybody else in the room can only read.'),
  })
  .refine(
    ({ token, password }) => (token === undefined) !== (password === undefined),
    'give either `token` or `password`',
  )
export type MatrixChannelSettings = z.infer<typeof MatrixChannelSettings>

declare module '../../kernel/approvals/channels.ts' {
  interface ChannelLists {
    matrix: MatrixChannelSettings[]
  }
}

export const section: ConfigSection = {
  channels: {
    matrix: {
      rank: 130,
      schema: z
        .array(MatrixChannelSettings)
        .max(8)
        .default([])
        .describe('Matrix rooms in which approvers are notified of requests and answer.'),
    },
  },
}
