import { z } from 'zod'
import {
  MOST_FOLDABLE,
  PacketDigest,
  TextId,
  Typed,
  type ApprovalPacket,
  type HiddenPlace,
} from '../../kernel/contract/approval.ts'
import type { Outcome } from '../../kernel/contract/call.ts'
import { ApprovalId, type RunId } from '../../kernel/contract/ids.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { Proof } from '../../kernel/identity/passkey.ts'
import type { ToolflowVerdict } from '../serenity/api.ts'

export const TOOLFLOW_NODES = [
  'TOOL_SEARCH',
  'SELECT',
  'GET_CARD',
  'SERENITY_GATE',
  'BLOCK',
  'ASK',
  'DRY_RUN',
  'EXECUTE',
  'FINAL',
] as const
export type ToolflowNode = (typeof TOOLFLOW_NODES)[number]

export const TOOLFLOW_STATUSES = ['OK', 'ASK', 'BLOCK', 'NO_CANDIDATES', 'FAILED'] as const
export type ToolflowStatus = (typeof TOOLFLOW_STATUSES)[number]

/** Not copied: a copy could lose a key called `__proto__`. */
const Arguments = z.unknown().refine((value): value is Json => value !== undefined, 'arguments are missing')

export const ToolflowBody = z.strictObject({
  user_prompt: z.string().trim().min(1).max(10_000),
  /** The search query; by default the prompt itself. */
  query: z.string().trim().min(1).max(1_000).optional(),
  top_k: z.int().min(1).max(50).default(5),
  /** For the tool that is found. Without them a model fills them from the prompt, if one is configured. */
  args: Arguments.optional(),
  /** Can only raise the known risk. */
  risk_score: z.number().min(0).max(100).optional(),
  /** A person's own choice, for example among the candidates of an earlier flow. Not for agents. */
  skill_id: z.string().min(1).max(200).optional(),
  /** The session of the flow's call; by default the flow's own run. Validated by the gate, the same at every door. */
  thread: z.string().optional(),
})
export type ToolflowBody = z.infer<typeof ToolflowBody>

export const CHOICES = ['Approve & Execute', 'Edit Inputs', 'Cancel'] as const

/** A person's answer to an approval packet. It names the request, so that nobody answers one they have not seen. */
export const ToolflowAnswer = z
  .strictObject({
    approval_id: ApprovalId,
    choice: z.enum(CHOICES),
    /** For `Edit Inputs`. */
    args: Arguments.optional(),
    reason: z.string().max(500).optional(),
    /** For a strong approval: what the approver typed, see `sentence.confirm` of the packet. */
    typed: Typed.optional(),
    /** The approver's, for a strong approval. */
    ...Proof.shape,
    /** Of the packet that was shown, for `Approve & Execute`. */
    digest: PacketDigest.optional(),
    unfolded: z.array(TextId).max(MOST_FOLDABLE).optional(),
  })
  .refine(({ choice, digest }) => choice !== 'Approve & Execute' || digest !== undefined, {
    path: ['digest'],
    error: 'send the `digest` of the request that you were shown',
  })
export type ToolflowAnswer = z.infer<typeof ToolflowAnswer>

/** When the first search result is too uncertain to continue with. */
export const ToolflowSettings = z.strictObject({
  close_within: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('The second tool counts as equally good if its score is within this fraction of the first.'),
  /** A first result with a score below this is a guess. Measured: docs/decisions/search.md. */
  floor: z.number().min(0).max(1).default(0.5).describe('If the best score is below this, `sluice run` asks.'),
})
export type ToolflowSettings = z.infer<typeof ToolflowSettings>

export type ToolflowCandidate = {
  readonly skill_id: string
  readonly title: string
  readonly score_hint: number
  readonly tags: readonly string[]
  readonly reason: string
}

/** What the gate knew. Null is unknown: no score is ever invented. */
export type GateEvidence = {
  readonly gate_status: ToolflowVerdict | null
  readonly total_score: number | null
  readonly risk_score: number | null
  readonly stale_score: boolean | null
  readonly source: string
}

type Card<Status extends ToolflowStatus> = {
  readonly status: Status
  readonly next_actions: readonly string[]
  readonly gate_evidence: GateEvidence
}
export type ResultCard =
  | (Card<'OK'> & { readonly skill_id: string; readonly summary: string })
  | (Card<'FAILED'> & {
      readonly skill_id: string | null
      readonly reason: string
      readonly exec_result: Outcome | null
    })
export type BlockCard = Card<'BLOCK'> & { readonly skill_id: string | null; readonly reason: string }
export type NoCandidatesCard = Card<'NO_CANDIDATES'> & { readonly query: string }

/** What a person is asked: to decide about a held call, to choose among candidates, or to provide inputs. */
export type ToolflowPacket = Card<'ASK'> &
  (
    | ApprovalPacket
    | {
        readonly approval_id: null
        readonly skill_id: string | null
        readonly title: string
        readonly why_this: string
        readonly required_inputs: readonly string[]
        readonly proposed_args: string
        /** Where secrets were removed from them. */
        readonly hidden: readonly HiddenPlace[]
        readonly candidates: readonly ToolflowCandidate[]
      }
  )

/** Exactly one of them is set. */
export type ToolflowOutput = {
  readonly result_card?: ResultCard
  readonly approval_packet?: ToolflowPacket
  readonly block_card?: BlockCard
  readonly no_candidates_card?: NoCandidatesCard
}

/** A flow as people and programs see it. `RUNNING` has no card yet; every other status has exactly one. */
export type ToolflowView = ToolflowOutput & {
  readonly run_id: RunId
  readonly status: ToolflowStatus | 'RUNNING'
  readonly state: {
    readonly node: ToolflowNode
    readonly path: readonly ToolflowNode[]
    readonly user_prompt: string
    readonly query: string
    readonly top_k: number
    readonly candidates: readonly ToolflowCandidate[]
    readonly selected_skill_id: string | null
    readonly skill_card: { readonly title: string; readonly purpose: string; readonly risk: string } | null
    readonly decision: ToolflowVerdict | null
    readonly dry_run_supported: boolean | null
    readonly dry_run_result: string | null
    readonly exec_result: Outcome | null
    readonly call_id: string | null
  }
}
