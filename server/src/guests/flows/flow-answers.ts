import { z } from 'zod'
import { ExecutionView, Flow, FlowConsentView, FlowHistoryItem, FlowRunView, FlowStep } from './flows.ts'

/** The answers of the flow routes, for the OpenAPI document. */

const schema = z.string()
const vault_id = z.string()

export const FlowListAnswer = z.object({ schema, vault_id, flows: z.array(Flow), next_cursor: z.string().optional() })
export const FlowWithStepsAnswer = z.object({ schema, vault_id, flow: Flow, steps: z.array(FlowStep) })
export const FlowRunAnswer = z.object({ schema, run: FlowRunView })
export const FlowRunGetAnswer = z.object({ schema, vault_id, run: FlowRunView })
export const FlowRunListAnswer = z.object({
  schema,
  vault_id,
  runs: z.array(FlowRunView),
  next_cursor: z.string().optional(),
})
export const FlowChecklistAnswer = FlowRunGetAnswer.extend({
  title: z.string(),
  /** Whether the caller who asks may change the run. */
  may_change: z.boolean(),
  steps: z.array(FlowStep),
  history: z.array(FlowHistoryItem),
  executions: z.array(ExecutionView.extend({ by: z.string(), reason: z.string().nullable() })),
  consents: z.array(FlowConsentView.extend({ minted_by: z.string(), lifts_asks: z.boolean(), own: z.boolean() })),
})
export type FlowChecklistAnswer = z.infer<typeof FlowChecklistAnswer>
export const ConsentMintAnswer = z.object({ schema, consent: FlowConsentView })
export const ExecuteStepAnswer = z.object({ schema, run: FlowRunView, execution: ExecutionView })
export const SubmitReviewAnswer = z.object({ schema, run: FlowRunView, proposal_id: z.string() })
