import { z } from 'zod'
import { ApprovalId, RunId, Sha256 } from '../../kernel/contract/ids.ts'
import { NodeContext } from '../../kernel/contract/node-context.ts'
import { PacketAnswer } from '../../kernel/approvals/packet-answer.ts'
import { Strength } from '../../kernel/contract/verdict.ts'

/** A node's name: the name of its key at the hub. */
export const NodeName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a node name has 1 to 64 letters, digits and . _ -')

/** Identifies a message of a node in its answer: proof that the answer belongs to this message and not to an earlier one. */
export const Nonce = z.string().regex(/^[0-9a-f]{32}$/)

/** What a node shows of a call: redacted, as its own approvers would see it. */
export const NodePacket = PacketAnswer.pick({
  title: true,
  sentence: true,
  risk: true,
  sources: true,
  changes: true,
  facts: true,
  why_this: true,
  required_inputs: true,
  proposed_args: true,
  risk_notes: true,
  preview: true,
  rollback: true,
  check: true,
  verify: true,
  missing: true,
  strength: true,
  hidden: true,
})
export type NodePacket = z.infer<typeof NodePacket>

/**
 * A node asks for a decision about one held call. The arguments stay at the node: only their hash and their redacted form are
 * sent.
 */
export const NodeRequest = z.strictObject({
  is: z.literal('request'),
  message: RunId,
  nonce: Nonce,
  approval_id: ApprovalId,
  tool: z.string().min(1).max(128),
  definition_hash: Sha256,
  args_hash: Sha256,
  trace: z.string().min(1).max(64),
  /** Of the packet at the node, which a decision repeats. */
  packet_digest: Sha256,
  expires_at: z.int().positive(),
  context: NodeContext,
  /** The people whom the document of the call names: nobody else decides. */
  approvers: z.array(z.string().min(1).max(128)).min(1).max(100).optional(),
  packet: NodePacket,
})
export type NodeRequest = z.infer<typeof NodeRequest>

/** How a call that was held ended at its node. */
export const NodeReport = z.strictObject({
  is: z.literal('outcome'),
  message: RunId,
  nonce: Nonce,
  approval_id: ApprovalId,
  state: z.enum(['executed', 'failed', 'refused', 'unknown']),
  /** The code of the problem, if it did not succeed. */
  code: z.string().max(128).optional(),
  /** Digest of the signed decision under which it started. */
  word: Sha256.optional(),
  ended_at: z.int().positive().optional(),
})
export type NodeReport = z.infer<typeof NodeReport>

/** Sent regularly where the hub has no other way to see that a node is running. */
export const NodeAlive = z.strictObject({ is: z.literal('alive') })
export type NodeAlive = z.infer<typeof NodeAlive>

export const NodeMessage = z.discriminatedUnion('is', [NodeRequest, NodeReport, NodeAlive])
export type NodeMessage = z.infer<typeof NodeMessage>

/** A node asks whether any of these requests has been decided. */
export const DecisionsBody = z.strictObject({
  approvals: z.array(ApprovalId).max(500),
  wait_s: z.int().min(0).max(25).default(0),
})

/** A person's decision as the hub recorded it. */
export const HubDecider = z.strictObject({
  by: z.string().min(1).max(128),
  user: z.string().min(1).max(128),
  for: z.string().min(1).max(128).optional(),
  at: z.int(),
})
export type HubDecider = z.infer<typeof HubDecider>

/** What the hub signs. `received` and `reported` confirm a message; the others decide about a request. */
export const HubReply = z.strictObject({
  v: z.literal(1),
  says: z.enum(['received', 'approve', 'deny', 'expired', 'reported']),
  /** The same for every signature of one decision: spent when it is used. */
  jti: z.string().min(1).max(128),
  /** In seconds. */
  iat: z.int(),
  exp: z.int(),
  node: NodeName,
  message: RunId,
  nonce: Nonce,
  approval_id: ApprovalId,
  /** The request in the hub's own ledger. */
  hub_approval_id: ApprovalId,
  tool: z.string(),
  definition_hash: Sha256,
  args_hash: Sha256,
  packet_digest: Sha256,
  run: z.string().nullable(),
  /** The required strength at the hub. */
  strength: Strength,
  /** The person who decided last; null if nobody did. */
  decider: z.string().nullable(),
  decisions: z.array(HubDecider),
  reason: z.string().max(2_000).optional(),
})
export type HubReply = z.infer<typeof HubReply>

export const WordsAnswer = z.object({ words: z.array(z.string()) })

export const HubKeysAnswer = z.object({
  keys: z.array(z.object({ key: z.string(), public_key: z.string(), state: z.enum(['active', 'next', 'retired']) })),
})
export type HubKeysAnswer = z.infer<typeof HubKeysAnswer>

export const NodeAnswer = z.object({
  node: z.string(),
  /** With the name, it identifies the node. */
  user: z.string(),
  /** Whether its key is active. */
  state: z.enum(['enrolled', 'revoked']),
  /** When it last asked this hub for something, since the hub started. */
  seen_at: z.number().optional(),
  pending: z.number().int(),
})
export type NodeAnswer = z.infer<typeof NodeAnswer>
