import type { ApprovalPacket, ApprovalRow } from '../contract/approval.ts'
import type { CallRow } from '../contract/call.ts'
import { CHANNEL_EVENTS } from './channels.ts'
import { count } from '../contract/framed-text.ts'
import { Bug } from '../contract/problems.ts'
import type { DeliveryEffect } from './delivery.ts'
import type { Perform } from '../runs/performer.ts'
import type { Json } from '../contract/json.ts'
import { inForce } from '../contract/tool.ts'
import { countedSpaces, shortened, visibleText } from '../contract/visible-text.ts'
import { asCalled } from '../decide/as-called.ts'
import { LONGEST_IN_MESSAGES } from './foldable-texts.ts'
import { riskInWords } from './packet-words.ts'
import { inSteps } from '../ports/in-steps.ts'
import type { Channel } from './channels-use.ts'
import type { DecidedElsewhere } from '../ports/decided-elsewhere.ts'
import type { Clock } from '../ports/runtime.ts'
import type { ChannelMessage } from './channel-message.ts'
import { packetOf } from './packet-of.ts'
import type { ApprovalReadPorts } from './read-approvals.ts'
import type { Links } from '../attempt/describe-call.ts'

export type DeliverPorts = ApprovalReadPorts & {
  readonly channels: readonly Channel[]
  readonly links: Links
  readonly hub: Pick<DecidedElsewhere, 'where'> | undefined
  readonly clock: Clock
  readonly onUndelivered: (channel: string, delivery_id: string, attempt: number) => void
}

const MOST_WORDS = 500

/** Sends one message, at least once: a repetition carries the same delivery id. */
export function delivering(deps: DeliverPorts): Perform<DeliveryEffect> {
  return async ({ with: delivery }) => {
    const channel = deps.channels.find(({ name }) => name === delivery.channel)
    const message = channel === undefined ? undefined : await messageOf(deps, delivery)
    // The channel was removed from the configuration, or there is nothing left to report.
    if (channel === undefined || message === undefined) return { type: 'effect.done', outcome: 'dropped' }
    const isOver = message.event === 'approval.pending' && message.state !== 'pending'
    const sent = isOver && channel.sends_decided !== true ? 'delivered' : await channel.send(message)
    if (sent === 'stopping') return 'later'
    if (sent === 'failed') deps.onUndelivered(channel.name, message.delivery_id, delivery.attempt)
    return { type: 'effect.done', outcome: sent, now: deps.clock() }
  }
}

async function messageOf(deps: DeliverPorts, delivery: DeliveryEffect['with']): Promise<ChannelMessage | undefined> {
  const { delivery_id, call_id, approval_id, at } = delivery
  const event = CHANNEL_EVENTS.find((known) => known === delivery.event)
  if (event === undefined) throw new Bug(`there is no channel event \`${delivery.event}\``)
  const call = (await deps.tables.row('calls', call_id))?.row
  if (call === undefined) return undefined
  const tool = deps.catalogue.tool(call.tool_id)
  const held = typeof approval_id === 'string' ? await deps.tables.row('approvals', approval_id) : undefined
  const args = await argsOf(deps, call, held?.row)
  const common = {
    delivery_id,
    event,
    at,
    call_id,
    tool_id: cut(call.tool_id, MOST_WORDS),
    title: cut(tool?.title ?? (tool && inForce(tool.row).definition.title) ?? call.tool_id, MOST_WORDS),
    risk: riskInWords(tool && asCalled(deps.judgement, tool, call), call.verdict.evidence).class,
    asked_by: cut(call.caller.id, MOST_WORDS),
    thread: cut(call.thread, MOST_WORDS),
    state: call.state,
    why: cut(call.problem?.code ?? '', MOST_WORDS),
    args: shownArgs(args),
    sentence: await inSteps(
      deps.yieldWhenDue,
      deps.sentence({
        tool_id: call.tool_id,
        tool,
        args: JSON.parse(args) as Json,
        sources: held?.row.sources ?? [],
      }),
    ),
  } as const
  if (approval_id === null) return common
  if (held === undefined) return undefined
  const packet = await packetOf(deps, held)
  const { why_this, proposed_args, state, strength, expires_at } = packet
  const { url } = deps.links(approval_id)
  if (!event.startsWith('approval.')) return { ...common, approval_id, url }
  const preview = previewOf(packet)
  const request = { why: cut(why_this, MOST_WORDS), args: shownArgs(proposed_args), state, strength, expires_at }
  const isWhole =
    why_this.length <= MOST_WORDS &&
    proposed_args.length <= LONGEST_IN_MESSAGES &&
    preview.length <= LONGEST_IN_MESSAGES
  const previewed = preview === '' ? {} : { preview: shortened(preview, LONGEST_IN_MESSAGES) }
  // The packet knows about look-alike recipients, too.
  const message = { ...common, ...request, ...previewed, sentence: packet.sentence, approval_id, url }
  const { digest, ...shown } = shownOf(packet, isWhole)
  if (deps.hub !== undefined) return { ...message, ...shown, decided_at: deps.hub.where }
  return { ...message, ...shown, ...(digest === undefined ? {} : { digest }) }
}

/** What approvers of the same arguments see, otherwise the arguments redacted now. */
async function argsOf(deps: DeliverPorts, call: CallRow, approval: ApprovalRow | undefined): Promise<string> {
  const shown = approval?.args_hash === call.args_hash ? approval.shown : undefined
  return (shown ?? (await deps.judgement.scanner.shownArgs(call.canonical_args))).args
}

const previewOf = ({ preview }: ApprovalPacket): string =>
  (preview?.content ?? [])
    .map((block) => visibleText(beginning(typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block))))
    .join(' ')

/** A decision by reply refers to the message, so it names the packet only if it shows all of it. */
function shownOf(
  { hidden, digest, foldable, approval_id }: ApprovalPacket,
  isWhole: boolean,
): Pick<ChannelMessage, 'hidden' | 'digest' | 'is_long'> {
  if (hidden.length === 0) return isWhole ? { digest, ...(foldable.length === 0 ? {} : { is_long: true }) } : {}
  const characters = hidden.reduce((sum, { length }) => sum + length, 0)
  const much = `${count(characters, 'character')} in ${count(hidden.length, 'place')}`
  const says = `redaction hides ${much}; reveal them in the console or with: sluice approvals show ${approval_id} --reveal`
  return { hidden: { places: hidden.length, characters, says } }
}

/** Escapes only make a text longer, so the rest need not be processed. */
const beginning = (text: string) => shortened(text, LONGEST_IN_MESSAGES + 1)
const shownArgs = (args: string) => shortened(visibleText(beginning(args)), LONGEST_IN_MESSAGES)
const cut = (text: string, most: number) => shortened(countedSpaces(visibleText(text)), most)
