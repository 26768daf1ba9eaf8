import { z } from 'zod'
import type { Caller } from './caller.ts'
import type { ByRun, ToolResult } from './call.ts'
import type { DefinitionReview } from './definition-review.ts'
import type { ApprovalId, CallId, KeyId, RunId } from './ids.ts'
import type { NodeContext, PacketNode } from './node-context.ts'
import type { PacketChange, PacketFacts, PacketRisk } from '../approvals/packet-parts.ts'
import type { AskedRoute, WhoIsAsked } from './routes.ts'
import type { Sentence } from './sentence.ts'
import type { ValueSource } from '../sessions/value-source.ts'
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

/** One person's decision about one request. `how`: by role, by a redeemed token, or at the hub of this node. */
export type Decision = {
  readonly by: string
  readonly user: string
  /** The member of the group for whom they decided, if that is somebody else who delegated to them. */
  readonly for?: string
  readonly says: 'approve' | 'deny'
  readonly how: 'role' | 'token' | 'hub'
  /** The person also gave their passphrase. */
  readonly passphrase?: true
  /** Or used this passkey. */
  readonly passkey?: string
  readonly reason?: string
  readonly at: number
  /** Our keys that it rests on: the person's own, and that of the delegation they used. */
  readonly keys?: readonly KeyId[]
  /** When one of them was revoked. From then on an approval does not count. */
  readonly ended_at?: number
}

/** People's decisions about one exact call. What happens to the call afterwards is in the call's row, not here. */
export type ApprovalRow = {
  readonly v: 1
  /** For a volatile run's call: where the rest is. */
  readonly in_memory?: string
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly run_id: RunId
  readonly tool_id: string
  readonly definition_hash: string
  readonly canonical_args: string
  /** What approvers see. Absent in rows of releases that did not store it. */
  readonly shown?: ShownRequest
  /** Where values of the arguments came from, as far as known when the request was made. */
  readonly sources?: readonly ValueSource[]
  /** Recipients that can be mistaken for those of earlier calls, by their place. */
  readonly look_alikes?: readonly { readonly at: string; readonly known: string }[]
  readonly args_hash: string
  readonly caller: Caller
  readonly thread: string
  /** The run that made the call. */
  readonly by_run?: ByRun
  /** The identity of the call. */
  readonly identity?: string
  readonly policy_version: string
  readonly strength: Strength
  /** Who is asked; absent if everybody with the approver role is. */
  readonly route?: AskedRoute
  readonly evidence: readonly Opinion[]
  readonly preview?: ToolResult
  /**
   * The preview before redaction, only if redaction hid something and only while the request is pending: an approver can reveal
   * it.
   */
  readonly preview_raw?: ToolResult
  readonly created_at: number
  readonly expires_at: number
  readonly state: ApprovalState
  readonly decisions: readonly Decision[]
  readonly replaces?: ApprovalId
  readonly replaced_by?: ApprovalId
  /** While it is pending: what it counts towards its caller's limit on pending bytes. */
  readonly counted?: { readonly bytes: number }
  /** For an edited request: the previous arguments, so that the approver sees the difference. */
  readonly edited_from?: string
  /** When arguments, preview and reasons were deleted, together with those of the call. */
  readonly texts_expired_at?: number
  /** The call has run before, and its outcome is unknown. */
  readonly retries?: RetriedAttempt
  /** At a hub: the call waits at one of its nodes. Arguments and preview of this row are what the node shows us. */
  readonly from_node?: FromNode
  /** At a node: the digest of the hub's signed decision. */
  readonly hub_word?: string
}

/** The attempt that may have taken effect, and who ordered the retry. */
export type RetriedAttempt = { readonly attempt: number; readonly started_at?: number; readonly ordered_by: string }

/** A request of a node, as stored at the hub. */
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

/** The seven factors of an approval, in the order they are checked and listed. */
export const FACTORS = ['id', 'expiry', 'arguments', 'signature', 'single_use', 'thread', 'user'] as const
export type Factor = (typeof FACTORS)[number]

/** Identifies the version of a packet that somebody was shown. */
export const PacketDigest = z
  .string({ error: 'send the `digest` of the request that you were shown' })
  .regex(/^[0-9a-f]{64}$/, 'send the `digest` of the request that you were shown')

/** What somebody typed to approve a request that is more than simple. */
export const Typed = z.string().max(4_000)

/** Text that redaction hides from the approver: in which part of the packet, where in it, and how much. */
export type HiddenPlace = {
  readonly in: 'proposed_args' | 'edited_from' | 'preview'
  /** A JSON pointer into that part as it is shown. */
  readonly at: string
  readonly type: string
  /** In characters. */
  readonly length: number
}

/** The id of a text that a page may show folded. */
export const TextId = z.string().regex(/^[0-9a-f]{16}$/, 'send the ids as the request lists them in `foldable`')

/** How many texts of a request are listed as foldable. The others are never folded. */
export const MOST_FOLDABLE = 20

/**
 * A long text of the arguments that a page may show folded, until the approver unfolds it. Everything else is always shown whole. An
 * approval repeats the ids of all of them, and is refused if one is missing.
 */
export type FoldableText = {
  readonly id: string
  /** A JSON pointer into the arguments as they are shown. */
  readonly at: string
  /** In characters. */
  readonly length: number
}

/** A request without its secrets: canonical JSON, and what is hidden in it. */
export type ShownRequest = {
  readonly args: string
  /** Invisible characters are escaped in the texts. Absent in rows of releases that escaped them when they were read. */
  readonly visible?: true
  readonly edited_from?: string
  readonly hidden: readonly HiddenPlace[]
}

/** A hub, and its page for the request if it has one. */
export type DecidedAt = { readonly hub: string; readonly url: string }

/** What an approver sees. Secrets in the arguments are redacted. */
export type ApprovalPacket = {
  readonly approval_id: ApprovalId
  readonly call_id: CallId
  readonly skill_id: string
  readonly title: string
  /** What the call does, in the gate's own words. */
  readonly sentence: Sentence
  readonly risk: PacketRisk
  /** Where values came from. The origin of any other value is unknown. */
  readonly sources: readonly ValueSource[]
  /** What the call would change, as far as known. */
  readonly changes: readonly PacketChange[]
  readonly facts: PacketFacts
  readonly why_this: string
  readonly required_inputs: readonly string[]
  readonly proposed_args: string
  readonly edited_from?: string
  /** For a retry: the attempt that may have taken effect. Its arguments cannot be edited. */
  readonly retries?: RetriedAttempt
  readonly risk_notes: readonly Opinion[]
  readonly preview?: ToolResult
  /** For a tool that is new or differs from the admitted one: both definitions. Only in a packet that is read individually. */
  readonly definition?: DefinitionReview
  readonly rollback: string
  readonly check: string
  readonly verify: string
  /** The parts of the execution standard that this tool lacks. */
  readonly missing: readonly string[]
  readonly asked_by: Caller
  readonly thread: string
  /** The run that made the call, and where in it. */
  readonly by_run?: Pick<ByRun, 'run_id' | 'kind' | 'step' | 'lane'>
  /** For a call that waits at a node of this hub. */
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
  readonly foldable: readonly FoldableText[]
  /** The version of the request's row: it increases with every decision. */
  readonly version: number
  /** Identifies this version of the packet: an approval repeats it, and is rejected if the packet has changed since. */
  readonly digest: string
}

/** The unredacted parts of a packet in which something is hidden. Only for approvers, and every access is audited. */
export type RevealedPacket = Pick<
  ApprovalPacket,
  'approval_id' | 'hidden' | 'digest' | 'proposed_args' | 'edited_from' | 'preview'
>
