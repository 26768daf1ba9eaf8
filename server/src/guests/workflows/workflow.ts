import type { Json } from '../../kernel/contract/json.ts'
import { z } from 'zod'
import { RunGraph, RunStatus } from '../../kernel/contract/run.ts'
import { Sha256 } from '../../kernel/contract/ids.ts'
import { DocumentFault } from './raw-document.ts'

/** How a run of a document, or a trigger that started none, failed. Codes are public. */
export const WORKFLOW_ERRORS = [
  'trust_mismatch',
  'invalid_protocol_message',
  'schema_validation',
  'retries_exhausted',
  'template_unresolved',
  'policy_denied',
  'approval_denied',
  'approval_timeout',
  'tool_failed',
  'limit_exceeded',
] as const
export const WorkflowError = z.enum(WORKFLOW_ERRORS)
export type WorkflowError = z.infer<typeof WorkflowError>

/** What its models used, in the unit of the models' prices. */
export const WorkflowUsage = z.strictObject({
  model_calls: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost: z.number(),
})
export type WorkflowUsage = z.infer<typeof WorkflowUsage>

/** The active version of a document. Its row changes with every version. */
export const DocumentHead = z.strictObject({
  v: z.literal(1),
  part: z.literal('head'),
  name: z.string(),
  /** The newest version, which is the active one. */
  current: z.int().positive(),
  sha256: Sha256,
  /** The person who applied the first version: runs act in their name. */
  owner: z.string(),
  at: z.number(),
  author: z.string(),
  /** The run that fires its schedules. */
  schedules: z.string().optional(),
})
export type DocumentHead = z.infer<typeof DocumentHead>

/** One version. Immutable. */
export const DocumentVersion = z.strictObject({
  v: z.literal(1),
  part: z.literal('version'),
  name: z.string(),
  number: z.int().positive(),
  /** Of the bytes of the text. */
  sha256: Sha256,
  author: z.string(),
  at: z.number(),
  text: z.string(),
  /** For a roll-back: the version whose text it repeats. */
  rolled_back_to: z.int().positive().optional(),
})
export type DocumentVersion = z.infer<typeof DocumentVersion>

export const DocumentRow = z.union([DocumentHead, DocumentVersion])
export type DocumentRow = z.infer<typeof DocumentRow>

/** One value that a document's runs share. */
export const AgentValueRow = z.strictObject({
  v: z.literal(1),
  agent: z.string(),
  key: z.string(),
  value: z.custom<Json>(),
  at: z.number(),
  by_run: z.string(),
})
export type AgentValueRow = z.infer<typeof AgentValueRow>

export const DOCUMENTS_LISTED_BY = ['part', 'name'] as const
export const AGENT_VALUES_LISTED_BY = ['agent'] as const

declare module '../../kernel/ports/ledger.ts' {
  interface Rows {
    documents: DocumentRow
    agent_values: AgentValueRow
  }
  interface ListedBy {
    documents: typeof DOCUMENTS_LISTED_BY
    agent_values: typeof AGENT_VALUES_LISTED_BY
  }
}

/** The limits of the agent's own store; exceeding them is an error. */
export const STORE_BOUNDS = { keys: 256, bytes: 65_536 } as const

export const VersionView = z.strictObject({
  name: z.string(),
  version: z.int(),
  sha256: Sha256,
  author: z.string(),
  at: z.number(),
  rolled_back_to: z.int().optional(),
})
export type VersionView = z.infer<typeof VersionView>

export const WorkflowStepView = z.strictObject({
  /** The displayed number: `2`, and `2.0` for the first step inside it. */
  number: z.string(),
  id: z.string().optional(),
  type: z.string(),
  status: z.enum(['pending', 'running', 'waiting', 'done', 'skipped', 'failed']),
  /** For a loop: how many of its items are done, and how many there are. */
  items: z.strictObject({ done: z.int(), of: z.int() }).optional(),
})
export type WorkflowStepView = z.infer<typeof WorkflowStepView>

export const WorkflowRunView = z.strictObject({
  run_id: z.string(),
  document: z.string(),
  version: z.int(),
  protocol: z.string(),
  status: RunStatus,
  trace: z.string(),
  created_at: z.number(),
  ended_at: z.number().optional(),
  waits_for: z.string().optional(),
  error: z.strictObject({ code: WorkflowError, says: z.string(), step: z.string().nullable() }).optional(),
  steps: z.array(WorkflowStepView),
  usage: WorkflowUsage,
  graph: RunGraph,
  /** The last step's output, once it has ended. */
  output: z.unknown().optional(),
})
export type WorkflowRunView = z.infer<typeof WorkflowRunView>

export const ApplyBody = z.strictObject({ document: z.string().max(1_000_000) })
export const RunWorkflowBody = z.strictObject({
  /** The protocol; the only one by default. */
  protocol: z.string().optional(),
  input: z.unknown().default({}),
})
export type RunWorkflowBody = z.infer<typeof RunWorkflowBody>
export const ValidateAnswer = z.strictObject({ ok: z.boolean(), faults: z.array(DocumentFault) })
