import type { HubReportEffect, HubReport } from './hub-report.ts'
import type { PerformersOf } from '../../kernel/runs/performer.ts'
import { closeWith, processReply, type ProcessReplyPorts } from './process-reply.ts'
import type { ApprovalPacket, ApprovalRow } from '../../kernel/contract/approval.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import { NodePacket, type NodeReport, type NodeRequest } from './hub.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { NodeContext } from '../../kernel/contract/node-context.ts'
import { shortened } from '../../kernel/contract/visible-text.ts'
import { packetOf, type PacketPorts } from '../../kernel/approvals/packet-of.ts'
import type { Tables } from '../../kernel/ports/reads.ts'

export type HubEffectPorts = MessagePorts &
  ProcessReplyPorts & {
    readonly stopping: AbortSignal
    /** There is something new to ask the hub for. */
    readonly wakeHub: () => void
    /** The hub's last answer that was not a confirmation, for messages. */
    readonly hubFault: { get(): string; set(why: string): void }
  }

/** What a node reports to its hub, and what it does if the hub does not answer. */
export function hubPerformers(deps: HubEffectPorts): PerformersOf<HubReportEffect> {
  const done = (outcome: string) => ({ type: 'effect.done', outcome, now: deps.clock() })
  return {
    async tell_hub({ with: report }, { run_id }) {
      // The gate is no longer attached to a hub: there is nobody to report to.
      if (deps.attachedHub === undefined) return done('over')
      const message = await messageToHub(deps, run_id, report)
      if (message === undefined) return done('over')
      deps.probe('hub.sending')
      const sent = await deps.attachedHub.link.send(message)
      deps.probe('hub.sent')
      if (deps.stopping.aborted && sent.is === 'failed') return 'later'
      if (sent.is === 'failed') {
        deps.hubFault.set(sent.why)
        return done('failed')
      }
      for (const reply of sent.replies) await processReply(deps, reply)
      if (report.what === 'request') deps.wakeHub()
      return done('sent')
    },
    async give_up_hub({ with: { approval_id } }) {
      const held = await deps.tables.row('approvals', approval_id)
      if (held?.row.state !== 'pending') return done('over')
      const why = deps.hubFault.get()
      const closed = await closeWith(deps, held, 'hub.unreachable', why, 'gate')
      return closed === 'refused' ? done('over') : 'later'
    },
  }
}

type MessagePorts = PacketPorts & { readonly tables: Tables }

type Report = Pick<HubReport, 'what' | 'nonce' | 'call_id' | 'approval_id'>

/** The message for the hub, from what is stored now; undefined if there is nothing left to report. */
async function messageToHub(
  deps: MessagePorts,
  message: RunId,
  report: Report,
): Promise<NodeRequest | NodeReport | undefined> {
  const call = (await deps.tables.row('calls', report.call_id))?.row
  const held = await deps.tables.row('approvals', report.approval_id)
  if (call === undefined || held === undefined) return undefined
  const head = { message, nonce: report.nonce, approval_id: held.row.approval_id }
  if (report.what === 'outcome') return outcomeOf(head, call, held.row)
  if (held.row.state !== 'pending') return undefined
  const packet = await packetOf(deps, held)
  const approvers = held.row.route?.approvers
  return {
    is: 'request',
    ...head,
    tool: held.row.tool_id,
    definition_hash: held.row.definition_hash,
    args_hash: held.row.args_hash,
    trace: call.trace,
    packet_digest: packet.digest,
    expires_at: held.row.expires_at,
    context: await contextOf(deps, held.row),
    ...(approvers === undefined ? {} : { approvers: [...approvers] }),
    packet: shownTo(packet),
  }
}

/** Only the parts that a hub accepts, as plain JSON: no arguments but the redacted ones. */
const shownTo = (packet: ApprovalPacket): NodePacket => NodePacket.parse(JSON.parse(JSON.stringify(packet)))

function outcomeOf(
  head: Pick<NodeReport, 'message' | 'nonce' | 'approval_id'>,
  call: CallRow,
  approval: ApprovalRow,
): NodeReport | undefined {
  const { state } = call
  if (state !== 'executed' && state !== 'failed' && state !== 'refused' && state !== 'unknown') return undefined
  const word = approval.hub_word
  return {
    is: 'outcome',
    ...head,
    state,
    ...(call.problem === undefined ? {} : { code: call.problem.code }),
    ...(word === undefined ? {} : { word }),
    ...(call.ended_at === undefined ? {} : { ended_at: call.ended_at }),
  }
}

const MOST = 512
const cut = (text: string): string => shortened(text, MOST)

/** Where the call comes from, for the approver: for a document's run also who triggered it. */
async function contextOf({ tables }: MessagePorts, row: ApprovalRow): Promise<NodeContext> {
  const { caller, thread, by_run } = row
  const context = { caller: caller.id, user: caller.user, thread: cut(thread) }
  if (by_run === undefined) return context
  const { run_id, kind, step, document } = by_run
  return {
    ...context,
    run: run_id,
    kind,
    step: cut(step),
    ...(document === undefined ? {} : { document }),
    ...(document === undefined ? {} : setOffBy((await tables.row('runs', run_id))?.row.state)),
  }
}

function setOffBy(state: Json | undefined): Pick<NodeContext, 'protocol' | 'sender' | 'room'> {
  const protocol = textAt(state, ['protocol', 'id'])
  const sender = textAt(state, ['trigger', 'sender']) ?? textAt(state, ['document', 'sender'])
  const room = textAt(state, ['trigger', 'room']) ?? textAt(state, ['document', 'room'])
  return {
    ...(protocol === undefined ? {} : { protocol }),
    ...(sender === undefined ? {} : { sender }),
    ...(room === undefined ? {} : { room }),
  }
}

function textAt(value: Json | undefined, path: readonly string[]): string | undefined {
  let at: unknown = value
  for (const key of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
  return typeof at === 'string' && at !== '' ? cut(at) : undefined
}
