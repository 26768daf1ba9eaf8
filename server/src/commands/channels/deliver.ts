import { CHANNEL_EVENTS } from '../../contract/channels.ts'
import { Bug } from '../../contract/problems.ts'
import type { RunEffect, RunEvent } from '../../contract/run.ts'
import { inForce } from '../../contract/tool.ts'
import type { Performer } from '../runs/drive-run.ts'
import type { Channel, ChannelMessage, Clock } from '../ports.ts'
import { packetOf, type ApprovalReadDeps } from '../approvals/read-approvals.ts'
import type { Links } from '../calls/describe-call.ts'
import { redactArgs } from '../calls/redact-args.ts'

export type DeliverDeps = ApprovalReadDeps & {
  readonly channels: readonly Channel[]
  readonly links: Links
  readonly clock: Clock
  readonly onUndelivered: (channel: string, delivery_id: string, attempt: number) => void
}

/** Longer arguments are for the console. */
const MOST_ARGS = 2_000
const MOST_WORDS = 500

/** Sends one message, at least once: a repetition carries the same delivery id. */
export function delivering(deps: DeliverDeps): Performer {
  return {
    idempotent: true,
    async perform(effect): Promise<RunEvent | 'later'> {
      const channel = deps.channels.find(({ name }) => name === effect.with['channel'])
      const message = channel === undefined ? undefined : await messageOf(deps, effect)
      // The channel was taken out of the configuration, or there is nothing left to tell.
      if (channel === undefined || message === undefined) return { type: 'effect.done', outcome: 'dropped' }
      const sent = await channel.send(message)
      if (sent === 'stopping') return 'later'
      if (sent === 'failed') deps.onUndelivered(channel.name, message.delivery_id, Number(effect.with['attempt']))
      return { type: 'effect.done', outcome: sent, now: deps.clock() }
    },
  }
}

async function messageOf(deps: DeliverDeps, effect: RunEffect): Promise<ChannelMessage | undefined> {
  const { delivery_id, call_id, approval_id, at } = effect.with
  const event = CHANNEL_EVENTS.find((known) => known === effect.with['event'])
  if (typeof delivery_id !== 'string' || typeof call_id !== 'string' || typeof at !== 'number' || event === undefined)
    throw new Bug('a delivery knows what it tells')
  const call = (await deps.shelves.row('calls', call_id))?.row
  if (call === undefined) return undefined
  const tool = deps.catalogue.tool(call.tool_id)
  const common = {
    delivery_id,
    event,
    at,
    call_id,
    tool_id: call.tool_id,
    title: cut(tool?.title ?? (tool && inForce(tool.row).definition.title) ?? call.tool_id, MOST_WORDS),
    risk: tool?.risk ?? 'critical',
    asked_by: call.caller.id,
    thread: call.thread,
    state: call.state,
    why: cut(call.problem?.code ?? '', MOST_WORDS),
    args: cut(redactArgs(call.canonical_args, deps.judgement.secretRules), MOST_ARGS),
  } as const
  if (typeof approval_id !== 'string') return common
  const approval = (await deps.shelves.row('approvals', approval_id))?.row
  if (approval === undefined) return undefined
  const { why_this, proposed_args, state, strength, expires_at } = packetOf(deps, approval)
  const url = deps.links(approval_id)
  if (!event.startsWith('approval.')) return { ...common, approval_id, url }
  const request = { why: cut(why_this, MOST_WORDS), args: cut(proposed_args, MOST_ARGS), state, strength, expires_at }
  return { ...common, ...request, approval_id, url }
}

const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most)}…`)
