import type { ApprovalRow, FromNode } from '../../kernel/contract/approval.ts'
import type { Call } from '../../kernel/contract/call.ts'
import { isSameCaller } from '../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { NodeRequest } from './hub.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { RiskClass } from '../../kernel/contract/tool.ts'
import type { Verdict } from '../../kernel/contract/verdict.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { withRoute } from '../../kernel/approvals/routes/routes.ts'
import { hubApprovalId, hubCallId, nodeToolId } from './hub-ids.ts'
import { bytesOf, pendingChanges, type PendingLimits } from '../../kernel/approvals/pending-limits.ts'
import type { ApprovalRoutes } from '../../kernel/approvals/routes/routes.ts'
import { changesFor } from '../../kernel/attempt/call-changes.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Accounts, Tables } from '../../kernel/ports/reads.ts'
import type { Digest, Ids, Probe } from '../../kernel/ports/runtime.ts'
import { nodeOf, type Node } from './node-name.ts'
import { isOfNode, signReply, type NodeApproval, type SignPorts } from './sign-reply.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import { refuse } from './problems.ts'

export type TakeRequestPorts = SignPorts & {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly ledger: Ledger
  readonly digest: Digest
  readonly ids: Ids
  readonly boot: string
  readonly probe: Probe
  readonly routes: ApprovalRoutes
  readonly judgement: Pick<Judgement, 'scanner'>
  readonly pendingLimits: PendingLimits
  readonly holdFor: (verdict: Verdict, risk: RiskClass) => number
}

const TRIES = 5

/**
 * A node asks for a decision. Stored once, however often it is sent; the answer is the hub's current decision.
 * INVARIANT: the hub's own tools, policy and consents do not apply here, and the hub can execute nothing of it.
 */
export async function takeRequest(
  deps: TakeRequestPorts,
  by: Caller,
  request: NodeRequest,
): Promise<Result<readonly string[]>> {
  const node = nodeOf(by)
  if (!node.ok) return node
  const approval_id = hubApprovalId(deps.digest, node.value.key, request.approval_id)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = (await deps.tables.row('approvals', approval_id))?.row
    if (known !== undefined) return isSame(known, by, request) ? answer(deps, known) : changed(request)
    const stored = await store(deps, by, node.value, request)
    if (!stored.ok) return stored
    if (stored.value !== undefined) return answer(deps, stored.value)
  }
  return refuse('audit.unavailable')
}

const changed = ({ approval_id }: NodeRequest) => refuse('node.request_changed', { approval_id })

/** Decisions are about what was stored first; a node that asks for something else makes a new request. */
function isSame(row: ApprovalRow, by: Caller, request: NodeRequest): row is NodeApproval {
  return (
    isOfNode(row) &&
    isSameCaller(row.caller, by) &&
    row.from_node.message === request.message &&
    row.from_node.nonce === request.nonce &&
    row.from_node.packet_digest === request.packet_digest &&
    row.args_hash === request.args_hash &&
    row.definition_hash === request.definition_hash
  )
}

async function answer(deps: SignPorts, row: NodeApproval): Promise<Result<readonly string[]>> {
  const reply = await signReply(deps, row)
  return reply.ok ? ok(reply.value === undefined ? [] : [reply.value]) : reply
}

/** Undefined: another request was stored first; check again. */
async function store(
  deps: TakeRequestPorts,
  by: Caller,
  { name: node, key }: Node,
  request: NodeRequest,
): Promise<Result<NodeApproval | undefined>> {
  const now = deps.clock()
  if (request.expires_at <= now) return refuse('approval.expired', { approval_id: request.approval_id })
  const shown = await shownRequest(deps, request)
  const call: Call = {
    call_id: hubCallId(deps.digest, key, request.approval_id),
    caller: by,
    tool_id: nodeToolId(node, request.tool),
    server: nodeToolId(node, request.tool.split('__')[0] ?? ''),
    definition_hash: request.definition_hash,
    canonical_args: shown.args,
    args_hash: request.args_hash,
    thread: shown.context.thread,
    trace: request.trace,
    received_at: now,
    executor: 'client',
    node,
  }
  const { risk, strength, risk_notes } = shown.packet
  const asked: Verdict = { effect: 'ask', strength, evidence: risk_notes }
  const tool = { row: { tool_id: request.tool, server: request.tool.split('__')[0] ?? '' }, ...routedAs(risk) }
  const { approvers } = request
  const named = approvers && { name: `of ${node}/${shown.context.document ?? ''}`, approvers }
  const verdict = withRoute(deps.routes, asked, call, tool, named)
  const preview = shown.packet.preview
  const bytes = bytesOf(JSON.stringify(request))
  const pending = await pendingChanges(deps.accounts, deps.pendingLimits, by, bytes)
  if (!pending.ok) return pending
  const from_node = fromNode(node, request, shown)
  const { changes: recording } = changesFor(call, verdict, {
    now,
    boot: deps.boot,
    policy_version: 'node',
    judged: { now, effects: risk.effects, risk: risk.class },
    idempotent: false,
    hold: {
      approval_id: hubApprovalId(deps.digest, key, request.approval_id),
      run_id: deps.ids.run(),
      expires_at: Math.min(request.expires_at, now + deps.holdFor(verdict, risk.class)),
      bytes,
    },
    shown: { args: shown.args, visible: true, hidden: shown.packet.hidden },
    sources: shown.packet.sources,
    ...(preview === undefined ? {} : { preview: preview as NonNullable<ApprovalRow['preview']> }),
  })
  const changes = [...recording.map((change) => withNode(change, from_node)), ...noted(call, from_node, now)]
  deps.probe('node.storing')
  const recorded = await deps.ledger.commit([...changes, ...pending.value])
  deps.probe('node.stored')
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (recorded !== 'committed') return ok(undefined)
  const swap = changes.find((change) => change.kind === 'swap' && change.table === 'approvals')
  return ok(swap?.kind === 'swap' && swap.table === 'approvals' && isOfNode(swap.to) ? swap.to : undefined)
}

const routedAs = ({ effects, class: risk }: NodeRequest['packet']['risk']) => ({ effects, risk })

type Shown = {
  readonly args: string
  readonly context: NodeRequest['context']
  readonly packet: NodeRequest['packet']
}

/** A node redacts; the hub also escapes invisible characters and removes what it knows to be secret. */
async function shownRequest({ judgement }: TakeRequestPorts, request: NodeRequest): Promise<Shown> {
  const { proposed_args } = request.packet
  const args = await judgement.scanner.visible((await judgement.scanner.shownArgs(canonicalOf(proposed_args))).args)
  return { args, context: visibleIn(request.context), packet: visibleIn({ ...request.packet, proposed_args: args }) }
}

/** The scanner reads JSON; other text is shown as one string. */
function canonicalOf(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}

/** Every text in it, with invisible characters escaped. */
function visibleIn<T extends object>(value: T): T {
  const through = (part: unknown): unknown => {
    if (typeof part === 'string') return visibleText(part)
    if (Array.isArray(part)) return part.map(through)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, through(field)]))
  }
  return through(value) as T
}

function fromNode(node: string, request: NodeRequest, { context, packet }: Shown): FromNode {
  const { title, sentence, risk, changes, facts, why_this, required_inputs, rollback, check, verify, missing } = packet
  return {
    node,
    approval_id: request.approval_id,
    message: request.message,
    nonce: request.nonce,
    tool: request.tool,
    packet_digest: request.packet_digest,
    context,
    packet: { title, sentence, risk, changes, facts, why_this, required_inputs, rollback, check, verify, missing },
  }
}

function withNode(change: Change, from_node: FromNode): Change {
  if (change.kind !== 'swap' || change.table !== 'approvals') return change
  return { ...change, to: { ...change.to, from_node } }
}

function noted({ call_id, caller, trace, tool_id, args_hash }: Call, from: FromNode, at: number): Change[] {
  const { node, approval_id, packet_digest, context } = from
  const about: Record<string, string> = { packet_digest, ...Object.fromEntries(Object.entries(context)) }
  const subject = { call: call_id, tool: tool_id, node, node_approval: approval_id }
  return [{ kind: 'audit', entry: { at, type: 'node.requested', actor: caller.id, trace, subject, args_hash, about } }]
}
