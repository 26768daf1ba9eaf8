import { z } from 'zod'
import { AgentStatus } from './agent.ts'

export const AgentAnswerBody = z.object({
  response: z.string(),
  thread_id: z.string(),
  run_id: z.string(),
  status: AgentStatus,
})
export const ThreadSummaryAnswer = z.object({
  thread_id: z.string(),
  run_id: z.string(),
  status: AgentStatus,
  created_at: z.number(),
  title: z.string(),
  turns: z.number(),
  usage: z.object({
    model_calls: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cost: z.number(),
  }),
  do_not_store: z.boolean(),
})
export const ThreadAnswer = ThreadSummaryAnswer.extend({
  last_event_id: z.string(),
  node: z.string(),
  intent: z.string().nullable(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant', 'tool']),
      text: z.string(),
      at: z.number(),
      tool: z.string().optional(),
    }),
  ),
  summary: z.string().nullable(),
  plan: z.array(z.object({ step: z.string(), status: z.string(), tries: z.number() })),
  current_step: z.number(),
  proposed_tool: z
    .object({
      name: z.string(),
      args_hash: z.string(),
      tool_call_id: z.string(),
      step_idx: z.number(),
      created_at: z.number(),
    })
    .nullable(),
  last_tool_result: z
    .object({
      status: z.enum(['success', 'failed']),
      output: z.string(),
      evicted: z.boolean(),
      pointer: z.string().nullable(),
      size_chars: z.number().int(),
      rehydration_allowed: z.boolean(),
      summary: z.string().nullable(),
    })
    .nullable(),
  call_id: z.string().nullable(),
  awaiting_approval: z.boolean(),
  approval_id: z.string().nullable(),
  approval_hash: z.string().nullable(),
  approval_expires_at: z.number().nullable(),
  awaiting_user_input: z.boolean(),
  question: z.string().nullable(),
  security_findings: z.array(z.object({ rule_id: z.string(), severity: z.string(), message: z.string() })),
  audit_trail: z.array(z.string()),
})
