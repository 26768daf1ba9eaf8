import { z } from 'zod'
import { ApprovalState } from '../contract/approval.ts'
import { Caller } from '../contract/caller.ts'
import { DefinitionReview } from '../contract/definition-review.ts'
import { KeyId } from '../contract/ids.ts'
import { PacketNode } from '../contract/node-context.ts'
import { PacketChange, PacketFacts, PacketRisk } from './packet-parts.ts'
import { WhoIsAsked } from '../contract/routes.ts'
import { Sentence } from '../contract/sentence.ts'
import { ValueSource } from '../sessions/value-source.ts'
import { Opinion, Strength } from '../contract/verdict.ts'

export const ToolResultAnswer = z.object({
  content: z.array(z.record(z.string(), z.unknown())),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
})

export const DecisionAnswer = z.object({
  by: z.string(),
  user: z.string(),
  for: z.string().optional(),
  says: z.enum(['approve', 'deny']),
  how: z.string(),
  passphrase: z.literal(true).optional(),
  passkey: z.string().optional(),
  reason: z.string().optional(),
  at: z.number(),
  /** Our keys that it rests on: the person's own, and that of the delegation they used. */
  keys: z.array(KeyId).optional(),
  /** When one of them was revoked. From then on an approval does not count. */
  ended_at: z.number().optional(),
})

const HiddenAnswer = z.object({
  in: z.enum(['proposed_args', 'edited_from', 'preview']),
  at: z.string(),
  type: z.string(),
  length: z.number().int(),
})

const FoldableAnswer = z.object({ id: z.string(), at: z.string(), length: z.number().int() })

export const PacketAnswer = z.object({
  approval_id: z.string(),
  call_id: z.string(),
  skill_id: z.string(),
  title: z.string(),
  sentence: Sentence,
  risk: PacketRisk,
  sources: z.array(ValueSource),
  changes: z.array(PacketChange),
  facts: PacketFacts,
  why_this: z.string(),
  required_inputs: z.array(z.string()),
  proposed_args: z.string(),
  edited_from: z.string().optional(),
  /** For a retry: the attempt that may have taken effect. Its inputs cannot be edited. */
  retries: z
    .object({ attempt: z.number().int(), started_at: z.number().optional(), ordered_by: z.string() })
    .optional(),
  risk_notes: z.array(Opinion),
  preview: ToolResultAnswer.optional(),
  definition: DefinitionReview.optional(),
  rollback: z.string(),
  check: z.string(),
  verify: z.string(),
  missing: z.array(z.string()),
  asked_by: Caller,
  thread: z.string(),
  by_run: z.object({ run_id: z.string(), kind: z.string(), step: z.string(), lane: z.string().nullable() }).optional(),
  /** For a call that waits at a node of this hub. */
  node: PacketNode.optional(),
  /** At a node: nobody decides here, the hub does. */
  decided_at: z.object({ hub: z.string(), url: z.string() }).optional(),
  strength: Strength,
  asked: WhoIsAsked,
  state: ApprovalState,
  decisions: z.array(DecisionAnswer),
  created_at: z.number(),
  expires_at: z.number(),
  choices: z.array(z.string()),
  hidden: z.array(HiddenAnswer),
  foldable: z.array(FoldableAnswer),
  version: z.number().int(),
  digest: z.string(),
})

export const RevealedAnswer = PacketAnswer.pick({
  approval_id: true,
  hidden: true,
  digest: true,
  proposed_args: true,
  edited_from: true,
  preview: true,
})
