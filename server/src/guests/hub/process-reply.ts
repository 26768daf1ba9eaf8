import type { ApprovalRow } from '../../kernel/contract/approval.ts'
import type { HubReply } from './hub.ts'
import { problem, type KernelProblemCode, type Problem } from '../../kernel/contract/problems.ts'
import type { RunRow } from '../../kernel/contract/run.ts'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { decisionsOf, notForMessage, notForRequest } from './check-reply.ts'
import { hubReport, type HubReport } from './hub-report.ts'
import { packetOf, type PacketPorts } from '../../kernel/approvals/packet-of.ts'
import { auditOf } from '../../kernel/attempt/call-changes.ts'
import { approvalMoved, closeCall, heldCallOf } from '../../kernel/attempt/close-call.ts'
import type { AttachedHub } from './ports.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Stored, Tables } from '../../kernel/ports/reads.ts'
import type { Clock, Digest, Ids, Probe } from '../../kernel/ports/runtime.ts'
import { addRunEvent } from '../../kernel/runs/run-changes.ts'

export type ProcessReplyPorts = PacketPorts & {
  readonly attachedHub: AttachedHub | undefined
  readonly tables: Tables
  readonly ledger: Ledger
  readonly clock: Clock
  readonly digest: Digest
  readonly ids: Ids
  readonly probe: Probe
}

/** `taken`: the reply was applied. `ignored`: there was nothing to do. `refused`: the reply was rejected, and that is recorded. */
export type ProcessedReply = 'taken' | 'ignored' | 'refused'

/** How long after its request expires a decision's id is kept: by then the request is long closed. */
const KNOWN_MS = 86_400_000

/**
 * Processes the hub's decision about one of this node's messages.
 * INVARIANT: a decision changes nothing unless a pinned key signed it, for this node, this message and nonce, within its time.
 * INVARIANT: an approval is for exactly the call and the packet that wait here, and counts once: its id is spent in the commit of
 * the decision.
 */
export async function processReply(deps: ProcessReplyPorts, text: string): Promise<ProcessedReply> {
  if (deps.attachedHub === undefined) return 'ignored'
  const read = await deps.attachedHub.pinned.read(text)
  if (read.is === 'forged') return refuseForged(deps, read.why, read.approval_id)
  const { reply } = read
  const run = await storedReport(deps.tables, reply.message)
  const now = deps.clock()
  const sent = run && { ...stateOf(run), message: run.run_id, node: deps.attachedHub.node }
  const why = sent === undefined ? 'an unknown message' : notForMessage(reply, sent, now)
  if (run === undefined || why !== undefined) return noteRefused(deps, why ?? 'an unknown message', reply)
  if (reply.says === 'reported') return confirm(deps, run, now)
  const held = await deps.tables.row('approvals', reply.approval_id)
  if (held === undefined) return noteRefused(deps, 'an unknown request', reply)
  if (reply.says === 'received') return held.row.state === 'pending' ? confirm(deps, run, now) : 'ignored'
  if (held.row.state !== 'pending') return noteRefused(deps, 'the request is closed', reply)
  return decide(deps, held, run, reply, { digest: deps.digest(text), key: read.key })
}

const stateOf = (run: RunRow): HubReport => run.state as unknown as HubReport

async function storedReport(tables: Tables, run_id: string): Promise<RunRow | undefined> {
  const run = (await tables.row('runs', run_id))?.row
  return run?.kind === hubReport.kind ? run : undefined
}

async function confirm(deps: ProcessReplyPorts, run: RunRow, now: number): Promise<ProcessedReply> {
  if (stateOf(run).confirmed || run.ended_at !== undefined) return 'ignored'
  const recorded = await deps.ledger.commit(addRunEvent(run.run_id, { type: 'hub.confirmed', now }))
  return recorded === 'committed' ? 'taken' : 'ignored'
}

type Signed = { readonly digest: string; readonly key: string }

async function decide(
  deps: ProcessReplyPorts,
  held: Stored<'approvals'>,
  run: RunRow,
  reply: HubReply,
  signed: Signed,
): Promise<ProcessedReply> {
  const { row } = held
  const packet = await packetOf(deps, held)
  const waiting = {
    ...row,
    strength: packet.strength,
    packet_digest: packet.digest,
    run: row.by_run?.run_id ?? null,
  }
  const why = notForRequest(reply, waiting)
  const now = deps.clock()
  if (why !== undefined && reply.says === 'approve') return closeWith(deps, held, 'hub.mismatch', why, 'hub')
  const said = { hub_word: signed.digest, decisions: decisionsOf(reply) }
  const once: Change = {
    kind: 'once',
    key: `hub ${deps.attachedHub?.node ?? ''} ${reply.jti}`,
    until: row.expires_at + KNOWN_MS,
  }
  const call = await heldCallOf(deps.tables, row)
  const about = citing(reply, signed)
  const actor = reply.decider ?? 'hub'
  const changes: Change[] = [once, ...addRunEvent(run.run_id, { type: 'hub.confirmed', now })]
  if (reply.says === 'approve') {
    if (now >= row.expires_at) return 'ignored'
    const to: ApprovalRow = { ...withoutRaw(row), ...said, strength: packet.strength, state: 'approved' }
    changes.push(...approvalMoved(held, to, { type: 'approval.approved', approval_id: row.approval_id }), {
      kind: 'audit',
      entry: auditOf('approval.approved', call.row, now, { actor, about: { how: 'hub', ...about } }),
    })
  } else {
    const state = reply.says === 'deny' ? 'denied' : 'expired'
    const to: ApprovalRow = { ...withoutRaw(row), ...said, state }
    const { approval_id } = row
    const reason = reply.reason === undefined ? {} : { reason: visibleText(reply.reason) }
    const closing = problem(`approval.${state}`, { approval_id, ...reason })
    const noted = {
      at: now,
      type: 'hub.decided' as const,
      actor,
      trace: call.row.trace,
      subject: subjectOf(row),
      about,
    }
    changes.push(...closeCall({ held, to }, call, closing, actor, now), { kind: 'audit', entry: noted })
  }
  deps.probe('decision.before')
  const recorded = await deps.ledger.commit(changes)
  deps.probe('decision.after')
  return recorded === 'committed' ? 'taken' : 'ignored'
}

/** The unredacted preview is deleted when there is nothing left to decide. */
const withoutRaw = ({ preview_raw: _, ...row }: ApprovalRow): ApprovalRow => row

const subjectOf = ({ approval_id, call_id }: ApprovalRow) => ({ approval: approval_id, call: call_id })

/** The ids of the request in the hub's own ledger. */
const citing = (
  { hub_approval_id, jti, says, decisions }: HubReply,
  { digest, key }: Signed,
): Record<string, string | number> => ({
  says,
  hub_approval: hub_approval_id,
  jti,
  word: digest,
  key,
  people: decisions.length,
})

async function refuseForged(
  deps: ProcessReplyPorts,
  why: string,
  approval_id: string | undefined,
): Promise<ProcessedReply> {
  const held = approval_id === undefined ? undefined : await deps.tables.row('approvals', approval_id)
  if (held?.row.state !== 'pending') return noteRefused(deps, why, { approval_id: approval_id ?? '' })
  return closeWith(deps, held, 'hub.untrusted', why, 'hub')
}

/** The request cannot be decided any more: its call is refused. */
export async function closeWith(
  deps: Pick<ProcessReplyPorts, 'tables' | 'ledger' | 'clock'>,
  held: Stored<'approvals'>,
  code: KernelProblemCode & `hub.${string}`,
  why: string,
  actor: string,
): Promise<'refused' | 'ignored'> {
  const { row } = held
  const call = await heldCallOf(deps.tables, row)
  const closing: Problem = problem(code, { approval_id: row.approval_id, why: shortened(visibleText(why), 200) })
  const to: ApprovalRow = { ...withoutRaw(row), state: 'withdrawn' }
  const recorded = await deps.ledger.commit(closeCall({ held, to }, call, closing, actor, deps.clock()))
  return recorded === 'committed' ? 'refused' : 'ignored'
}

/** This may be an attack, so it is recorded. */
async function noteRefused(
  deps: ProcessReplyPorts,
  why: string,
  { approval_id, ...reply }: Pick<HubReply, 'approval_id'> | { approval_id: string; says?: string },
): Promise<ProcessedReply> {
  const says = 'says' in reply && typeof reply.says === 'string' ? { says: reply.says } : {}
  const subject = { approval: shortened(visibleText(approval_id), 64) }
  const entry = { at: deps.clock(), type: 'hub.word_refused' as const, actor: 'hub', trace: deps.ids.trace(), subject }
  await deps.ledger.commit([{ kind: 'audit', entry: { ...entry, about: { why, ...says } } }])
  return 'refused'
}
