import { z } from 'zod'
import type { Caller } from './caller.ts'
import type { ByRun, ToolResult } from './call.ts'
import type { DefinitionReview } from './definition-review.ts'
import type { ApprovalId, CallId, RunId } from './ids.ts'
import type { NodeContext, PacketNode } from './node-context.ts'
import type { PacketChange, PacketFacts, PacketRisk } from './packet-parts.ts'
import type { AskedRoute, WhoIsAsked } from './routes.ts'
import type { Sentence } from './sentence.ts'
import type { ValueSource } from './value-source.ts'
import type { Opinion, Strength } from './verdict.ts'

export const ApprovalState = z.enum([
  'pending',
  'approved',
  'consumed',
  'stale',
  'edited',
  'denied',
  'expired',
  'withdrawn',
])
export type ApprovalState = z.infer<typeof ApprovalState>

/** One person's word on one request. `how`: by role, by a redeemed token, or at the hub of this node. */
export type Decision = {
  readonly by: string
  readonly user: string
  /** The member of the group for whom they decided, where that is somebody else who handed over to them. */
  readonly for?: string
  readonly says: 'approve' | 'deny'
  readonly how: 'role' | 'token' | 'hub'
  /** The person gave their passphrase too. */
  readonly passphrase?: true
  /** Or showed this passkey. */
  readonly passkey?: string
  readonly reason?: string
  readonly at: number
}

/** A person's decision about one exact call. What becomes of the call afterwards is the call's row, not this one. */
export type ApprovalRow = {
  readonly v: 1
  /** Of a volatile run's call: where the rest is. */
  readonly in_memory?: string
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly run_id: RunId
  readonly tool_id: string
  readonly definition_hash: string
  readonly canonical_args: string
  /** What approvers see. Absent in rows of releases that did not keep it. */
  readonly shown?: ShownRequest
  /** Where values of the arguments came from, as far as it was known when the request was made. */
  readonly sources?: readonly ValueSource[]
  readonly args_hash: string
  readonly caller: Caller
  readonly thread: string
  /** The run that made the call. */
  readonly by_run?: ByRun
  /** The call's. */
  readonly identity?: string
  readonly policy_version: string
  readonly strength: Strength
  /** Who is asked; absent where everybody with the role is. */
  readonly route?: AskedRoute
  readonly evidence: readonly Opinion[]
  readonly preview?: ToolResult
  /** The preview before redaction, only where that hid something and only while the request is pending: an approver can reveal it. */
  readonly preview_raw?: ToolResult
  readonly created_at: number
  readonly expires_at: number
  readonly state: ApprovalState
  readonly decisions: readonly Decision[]
  readonly replaces?: ApprovalId
  readonly replaced_by?: ApprovalId
  /** While it is pending: what it takes of its caller's limit on pending bytes. */
  readonly counted?: { readonly bytes: number }
  /** For an edited request: the arguments before, so the approver sees the difference. */
  readonly edited_from?: string
  /** When arguments, preview and reasons were removed, together with those of the call. */
  readonly texts_expired_at?: number
  /** At a hub: the call waits at one of its nodes. Arguments and preview of this row are what the node lets us see. */
  readonly from_node?: FromNode
  /** At a node: the digest of the signed word of the hub that decided it. */
  readonly hub_word?: string
}

/** A request of a node, as the hub keeps it. */
export type FromNode = {
  readonly node: string
  /** The node's own ids, and what a decision repeats. */
  readonly approval_id: ApprovalId
  readonly message: RunId
  readonly nonce: string
  readonly tool: string
  readonly packet_digest: string
  readonly context: NodeContext
  readonly packet: NodeTexts
}

/** The parts of a packet that the node wrote. */
export type NodeTexts = Pick<
  ApprovalPacket,
  | 'title'
  | 'sentence'
  | 'risk'
  | 'changes'
  | 'facts'
  | 'why_this'
  | 'required_inputs'
  | 'rollback'
  | 'check'
  | 'verify'
  | 'missing'
>

/** The seven factors of an approval, in the order they are checked and named. */
export const FACTORS = ['id', 'expiry', 'arguments', 'signature', 'single_use', 'thread', 'user'] as const
export type Factor = (typeof FACTORS)[number]

/** Names the version of a packet that somebody was shown. */
export const PacketDigest = z
  .string({ error: 'send the `digest` of the request that you were shown' })
  .regex(/^[0-9a-f]{64}$/, 'send the `digest` of the request that you were shown')

/** Text that redaction hides from the approver: in which part of the packet, where in it, and how much. */
export type HiddenPlace = {
  readonly in: 'proposed_args' | 'edited_from' | 'preview'
  /** A JSON pointer into that part as it is shown. */
  readonly at: string
  readonly type: string
  /** In characters. */
  readonly length: number
}

/** A request without its secrets: canonical JSON, and what is hidden in it. */
export type ShownRequest = {
  readonly args: string
  /** The texts hold escapes for what cannot be seen. Absent in rows of releases that escaped them when they were read. */
  readonly visible?: true
  readonly edited_from?: string
  readonly hidden: readonly HiddenPlace[]
}

/** A hub, and its page for the request where it has one. */
export type DecidedAt = { readonly hub: string; readonly url: string }

/** What an approver sees. Arguments are redacted where secret. */
export type ApprovalPacket = {
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly skill_id: string
  readonly title: string
  /** What the call does, in the gate's own words. */
  readonly sentence: Sentence
  readonly risk: PacketRisk
  /** Where values came from. A value that is not named here is of unknown origin. */
  readonly sources: readonly ValueSource[]
  /** What would be different afterwards, as far as it is known. */
  readonly changes: readonly PacketChange[]
  readonly facts: PacketFacts
  readonly why_this: string
  readonly required_inputs: readonly string[]
  readonly proposed_args: string
  readonly edited_from?: string
  readonly risk_notes: readonly Opinion[]
  readonly preview?: ToolResult
  /** For a tool that is new or is not the one that was admitted: both definitions, side by side. Only in a packet that is read by itself. */
  readonly definition?: DefinitionReview
  readonly rollback: string
  readonly check: string
  readonly verify: string
  /** The parts of the execution standard this tool does not have. */
  readonly missing: readonly string[]
  readonly asked_by: Caller
  readonly thread: string
  /** The run that made the call, and where in it. */
  readonly by_run?: Pick<ByRun, 'run_id' | 'kind' | 'step' | 'lane'>
  /** Of a call that waits at a node of this hub. */
  readonly node?: PacketNode
  /** At a node: nobody decides here, the hub does. */
  readonly decided_at?: DecidedAt
  readonly strength: Strength
  readonly asked: WhoIsAsked
  readonly state: ApprovalState
  readonly decisions: readonly Decision[]
  readonly created_at: number
  readonly expires_at: number
  readonly choices: readonly ['Approve & Execute', 'Edit Inputs', 'Cancel']
  /** What redaction hides. An approver can reveal it. */
  readonly hidden: readonly HiddenPlace[]
  /** Of the request's row: grows with every decision about it. */
  readonly version: number
  /** Names this version of the packet: an approval repeats it, and is refused when the packet has changed since. */
  readonly digest: string
}

/** The parts of a packet in which something is hidden, as they are. Only for approvers, and every look is audited. */
export type RevealedPacket = Pick<
  ApprovalPacket,
  'approval_id' | 'hidden' | 'digest' | 'proposed_args' | 'edited_from' | 'preview'
>
