import { z } from 'zod'
import { HttpUrl } from '../contract/http-settings.ts'

/**
 * The events of a channel. `pending` is a new request, `seconded` an approval if more people are asked, `escalated`: another
 * group is asked too.
 */
export const CHANNEL_EVENTS = [
  'approval.pending',
  'approval.seconded',
  'approval.escalated',
  'approval.approved',
  'approval.consumed',
  'approval.denied',
  'approval.edited',
  'approval.expired',
  'approval.stale',
  'approval.withdrawn',
  // For calls that were held; an unknown outcome is reported for any call.
  'call.executed',
  'call.failed',
  'call.refused',
  'call.unknown',
] as const
export const ChannelEvent = z.enum(CHANNEL_EVENTS)
export type ChannelEvent = z.infer<typeof ChannelEvent>

export const ChannelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name has 1 to 32 lower-case letters, digits and `-`')

/** A secret is referenced, never written out: `env:NAME` or `file:PATH`. */
export const SecretReference = z.string().regex(/^(?:env|file):.+$/, 'write a secret as env:NAME or file:PATH')

export const RoomId = z.string().regex(/^![^\s]{1,254}$/, 'write the id of the room, which begins with `!`')
export const MatrixUser = z.string().regex(/^@[^\s:]{1,200}:[^\s]{1,200}$/, 'write a Matrix user as @name:server')

/** The kernel's part of the channels. */
export const ChannelKeys = z.strictObject({
  url: HttpUrl.optional().describe('The address of the console as people reach it.'),
})

/** The lists of channels, by kind. Guests add theirs by declaration merging. */
export interface ChannelLists {}
export interface Channels extends z.infer<typeof ChannelKeys>, ChannelLists {}

/** Somebody whose decisions come through a channel. */
type ChannelApprover = { readonly approver: string; readonly user?: string | undefined }

/** What the kernel reads of a channel of any kind. */
export type ConfiguredChannel = {
  readonly name: string
  readonly events: readonly ChannelEvent[]
  /** The other side may decide. */
  readonly callback?: ChannelApprover | undefined
  /** The id of a chat room, and the people in it who may decide, by their names there. */
  readonly room?: string
  readonly people?: Readonly<Record<string, ChannelApprover>>
}

/** The channels of all kinds. */
export const configuredChannels = (channels: Channels): readonly ConfiguredChannel[] =>
  Object.values<unknown>({ ...channels }).flatMap((list) => (Array.isArray(list) ? list.filter(isChannel) : []))

export const isChannel = (value: unknown): value is ConfiguredChannel =>
  typeof value === 'object' && value !== null && 'name' in value

/** Names are unique among the channels of all kinds. */
export function refuseSameNames(channels: Channels, context: z.RefinementCtx): void {
  const names = configuredChannels(channels).map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) context.addIssue({ code: 'custom', message: `two channels are called \`${twice}\`` })
}
