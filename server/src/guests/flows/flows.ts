import { z } from 'zod'
import { RunId } from '../../kernel/contract/ids.ts'
import { FlowConsentId, ExecutionId, ProposalId } from './ids.ts'

export const FlowId = z.string().regex(/^flow_[a-z0-9_]{1,64}$/)
/** Strict three-part semver without a suffix. */
export const FlowVersion = z.string().regex(/^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/)
export const StepId = z.string().regex(/^flow_[a-z0-9_]{1,64}#[1-9]\d{0,3}$/)

export const DEFAULT_VAULT = 'default'
export const DEFAULT_HARNESS = 'hub'

/** The names by which clients know these records. Public: never change one. */
export const FLOW_SCHEMAS = {
  flow: 'knowtation.flow/v0',
  step: 'knowtation.flow_step/v0',
  run: 'knowtation.flow_run/v0',
  start: 'knowtation.flow_run_start/v0',
  list: 'knowtation.flow_run_list/v0',
  consent: 'knowtation.flow_execution_consent/v0',
  mint: 'knowtation.flow_execution_consent_mint/v0',
  execute: 'knowtation.flow_execute_automatable/v0',
} as const

export const FlowScope = z.enum(['personal', 'project', 'org'])
export type FlowScope = z.infer<typeof FlowScope>

export const FLOW_LIMITS = { steps: 200, text: 8_000, short: 300, list: 50, consents: 100, history: 200 } as const

const Short = z.string().trim().min(1).max(FLOW_LIMITS.short)
const Text = z.string().trim().max(FLOW_LIMITS.text)
const Texts = z.array(Short).max(FLOW_LIMITS.list)

export const SkillRef = z.strictObject({
  kind: z.enum(['mcp_prompt', 'skill_pack', 'cli', 'external_tool']),
  id: Short,
})
export type SkillRef = z.infer<typeof SkillRef>

export const VerificationKind = z.enum(['human_review', 'artifact_exists', 'value_match', 'test_pass', 'agent_check'])
export type VerificationKind = z.infer<typeof VerificationKind>
export const Verification = z.strictObject({
  kind: VerificationKind,
  evidence_required: z.boolean(),
  description: Text.default(''),
})

export const Automatable = z.enum(['manual', 'agent_assisted', 'automatable'])
export type Automatable = z.infer<typeof Automatable>

export const FlowStep = z.strictObject({
  schema: z.literal(FLOW_SCHEMAS.step).default(FLOW_SCHEMAS.step),
  step_id: StepId,
  flow_id: FlowId,
  ordinal: z.int().positive().max(FLOW_LIMITS.steps),
  owned_job: Short,
  instruction: Text.min(1),
  trigger: Text.default(''),
  when_not_to_run: Text.default(''),
  requires: Texts.default([]),
  boundaries: Texts.default([]),
  skill_refs: z.array(SkillRef).max(FLOW_LIMITS.list).default([]),
  inputs: Texts.default([]),
  outputs: Texts.default([]),
  output_shape: Text.default(''),
  verification: Verification,
  automatable: Automatable,
})
export type FlowStep = z.infer<typeof FlowStep>

export const Flow = z.strictObject({
  schema: z.literal(FLOW_SCHEMAS.flow).default(FLOW_SCHEMAS.flow),
  flow_id: FlowId,
  title: Short,
  version: FlowVersion,
  scope: FlowScope,
  summary: Text.default(''),
  tags: Texts.default([]),
  /** Ids of its steps, in order. */
  steps: z.array(StepId).min(1).max(FLOW_LIMITS.steps),
  inputs: Texts.default([]),
  vault_mirror_path: z.string().trim().max(FLOW_LIMITS.short).nullable().default(null),
  updated: z.string().default(''),
  truncated: z.boolean().default(false),
})
export type Flow = z.infer<typeof Flow>

export const SkipReason = z.enum(['policy', 'not_applicable', 'blocked_dependency'])
export type SkipReason = z.infer<typeof SkipReason>
export const StepStatus = z.enum(['pending', 'in_progress', 'blocked', 'done', 'skipped'])
export type StepStatus = z.infer<typeof StepStatus>
export const FlowRunStatus = z.enum(['in_progress', 'done', 'abandoned'])
export type FlowRunStatus = z.infer<typeof FlowRunStatus>
export const PointerKind = z.enum(['proposal', 'artifact', 'hash', 'test_result'])
export type PointerKind = z.infer<typeof PointerKind>

export const StepState = z.strictObject({
  step_id: StepId,
  status: StepStatus,
  evidence_ref: z.string().nullable(),
  pointer_kind: PointerKind.nullable(),
  verified: z.boolean(),
  skip_reason: SkipReason.nullable(),
})
export type StepState = z.infer<typeof StepState>

export const FlowRunView = z.strictObject({
  run_id: RunId,
  flow_id: FlowId,
  flow_version: FlowVersion,
  scope: FlowScope,
  status: FlowRunStatus,
  step_states: z.array(StepState).readonly(),
  started: z.string(),
  provenance: z.strictObject({ actor: z.string(), harness: z.string() }),
  task_ref: z.string().nullable(),
  external_ref: z.string().nullable(),
  etag: z.string(),
})
export type FlowRunView = z.infer<typeof FlowRunView>

export const FlowConsentView = z.strictObject({
  consent_id: FlowConsentId,
  vault_id: z.string(),
  scope: FlowScope,
  run_id: RunId,
  flow_id: FlowId,
  flow_version: FlowVersion,
  allowed_lanes: z.array(z.string()).readonly(),
  cost_cap_units: z.int(),
  cost_consumed_units: z.int(),
  actor_hash: z.string(),
  expires_at: z.string(),
  revoked_at: z.string().nullable(),
})
export type FlowConsentView = z.infer<typeof FlowConsentView>

/** `running` is shown while it is in progress; the record itself ends with one of the other three. */
export const ExecutionStatus = z.enum(['running', 'completed', 'failed', 'cost_capped'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>
export const ExecutionView = z.strictObject({
  execution_id: ExecutionId,
  step_id: StepId,
  status: ExecutionStatus,
  evidence_ref: z.string().nullable(),
  cost_units: z.int(),
  model_lane: z.string(),
  completed_at: z.string().nullable(),
})
export type ExecutionView = z.infer<typeof ExecutionView>

export const ProposalState = z.enum(['proposed', 'approved', 'discarded'])
export type ProposalState = z.infer<typeof ProposalState>
export const Evaluation = z.enum(['none', 'pending', 'passed', 'failed', 'needs_changes'])
export type Evaluation = z.infer<typeof Evaluation>

export const RubricItem = z.strictObject({ id: z.string(), asks: z.string(), answer: z.boolean().nullable() })
export type RubricItem = z.infer<typeof RubricItem>

export const ProposalView = z.strictObject({
  proposal_id: ProposalId,
  vault_id: z.string(),
  scope: FlowScope,
  state: ProposalState,
  source: z.literal('flow_run'),
  queue: z.literal('flow-review'),
  intent: z.string(),
  body: z.strictObject({ run_id: RunId, flow_id: FlowId, flow_version: FlowVersion }),
  frontmatter: z.strictObject({
    type: z.literal('flow_run_outcome'),
    run_id: RunId,
    flow_id: FlowId,
    flow_version: FlowVersion,
    external_ref: z.string().nullable(),
  }),
  /** The step of kind `human_review` that an approval verifies. */
  step_id: StepId.nullable(),
  flow_title: z.string(),
  step_title: z.string().nullable(),
  evaluation: Evaluation,
  evaluation_required: z.boolean(),
  rubric: z.array(RubricItem).readonly(),
  note: z.string().nullable(),
  evaluated_by: z.string().nullable(),
  waived: z.string().nullable(),
  proposed_by: z.string(),
  created: z.string(),
  decided_by: z.string().nullable(),
  decided: z.string().nullable(),
  reason: z.string().nullable(),
  /** Whether the reading caller may decide about it. */
  own: z.boolean(),
  etag: z.string(),
})
export type ProposalView = z.infer<typeof ProposalView>

/** What happened to a run and who did it, for readers of the checklist. */
export const FlowHistoryItem = z.strictObject({
  at: z.string(),
  by: z.string(),
  did: z.string(),
  step_id: StepId.nullable(),
  note: z.string().nullable(),
})
export type FlowHistoryItem = z.infer<typeof FlowHistoryItem>

export const FLOW_ACTIONS = [
  'start',
  'get',
  'list',
  'advance',
  'evidence',
  'consent_mint',
  'consent_revoke',
  'execute_automatable',
  'submit_review',
  'abandon',
] as const
export type FlowAction = (typeof FLOW_ACTIONS)[number]

/** Who is granted which scopes instead of those of their role. */
export const FlowSettings = z.strictObject({
  /** Per person; if two entries for one person disagree, every request of that person is rejected. */
  grants: z
    .array(
      z.strictObject({
        user: z.string().min(1).max(128).describe('The user who gets these scopes.'),
        scopes: z.array(FlowScope).max(3).describe('The flows that the user sees: `personal`, `project`, `org`.'),
      }),
    )
    .max(1_000)
    .default([])
    .describe('Scopes that a person has instead of those of their flow role.'),
  skill_packs: z
    .record(z.string().min(1).max(64), z.array(z.string().min(1).max(128)).min(1).max(64))
    .default({})
    .describe('Named lists of tool ids, for steps that refer to a `skill_pack`.'),
  evaluation: z
    .enum(['required', 'optional'])
    .default('required')
    .describe('Whether a proposal needs a passed evaluation before it can be approved.'),
})
export type FlowSettings = z.infer<typeof FlowSettings>

/** What a reviewer may send. Strict: an unknown field is an error. */
export const EvaluateBody = z.strictObject({
  answers: z.record(z.string().max(64), z.boolean()).default({}),
  needs_changes: z.boolean().default(false),
  note: z.string().trim().max(2_000).optional(),
  etag: z.string().optional(),
})
export type EvaluateBody = z.infer<typeof EvaluateBody>

export const DecideProposalBody = z.strictObject({
  decision: z.enum(['approve', 'discard']),
  reason: z.string().trim().max(500).optional(),
  /** Approves without a passed evaluation, and says why. */
  waive: z.string().trim().min(1, 'say why the evaluation is waived').max(500).optional(),
  etag: z.string().optional(),
})
export type DecideProposalBody = z.infer<typeof DecideProposalBody>
