import { z } from 'zod'
import { CALLERS, DECIDERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { jsonResponse } from '../../adapters/http/problem.ts'
import { readToolflow } from './read-toolflow.ts'
import { resumeToolflow, type ResumeToolflowPorts } from './resume-toolflow.ts'
import { runOf, runToolflow, type RunToolflowPorts } from './run-toolflow.ts'
import { ToolflowAnswer, ToolflowBody, type ToolflowView } from './toolflow.ts'
import { answerText, textsInOutcome, textsInPacket, type PacketTexts } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'

export type ToolflowPorts = RunToolflowPorts & ResumeToolflowPorts

const WAIT_MS = 30_000

const ToolflowViewAnswer = z
  .object({ run_id: z.string(), status: z.string(), state: z.object({ node: z.string() }).loose() })
  .loose()

/** Search, choose, judge and run, as one durable flow. */
export const endpoints = (k: ToolflowPorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/toolflow',
    access: CALLERS,
    says: 'Search, choose, judge and run one tool, as a durable flow (wait_ms until it first pauses or ends, default 30000)',
    query: ['wait_ms', 'session'],
    body: ToolflowBody,
    answers: ToolflowViewAnswer,
    run: (caller, { body, key, trace, number }) =>
      runToolflow(k, caller, body, {
        trace,
        wait_ms: number('wait_ms', WAIT_MS),
        ...(key === undefined ? {} : { idempotency_key: key }),
      }),
    reads: textsInToolflow,
    shows: viewResponse,
  }),
  endpoint({
    at: 'GET /v1/toolflow/{run_id}',
    access: CALLERS,
    says: 'A flow and its card, with an optional bounded wait (wait_ms)',
    query: ['wait_ms', 'session'],
    answers: ToolflowViewAnswer,
    run: (caller, { params, number }) => readToolflow(k, caller, params.run_id, number('wait_ms', 0)),
    reads: textsInToolflow,
    shows: viewResponse,
  }),
  endpoint({
    at: 'GET /v1/toolflow/by-key/{idempotency_key}',
    access: CALLERS,
    says: 'The flow started with an idempotency key, if its answer was lost; starts nothing',
    query: ['wait_ms', 'session'],
    answers: ToolflowViewAnswer,
    run: async (caller, { params, number }) =>
      readToolflow(k, caller, await runOf(k, caller, params.idempotency_key), number('wait_ms', 0)),
    reads: textsInToolflow,
    shows: viewResponse,
  }),
  endpoint({
    at: 'POST /v1/toolflow/{run_id}/resume',
    access: DECIDERS,
    says: 'Answer the approval packet of a flow: Approve & Execute, Edit Inputs, Cancel',
    query: ['wait_ms', 'session'],
    grants: 'in_body',
    body: ToolflowAnswer,
    answers: ToolflowViewAnswer,
    run: (caller, { params, body, site, number }) =>
      resumeToolflow(k, caller, params.run_id, body, number('wait_ms', WAIT_MS), site),
    reads: textsInToolflow,
    shows: viewResponse,
  }),
]

/** A toolflow that has not ended is answered with 202, everything else with 200. */
const viewResponse = (view: ToolflowView): Response => jsonResponse(view.state.node === 'FINAL' ? 200 : 202, view)

function textsInToolflow(view: ToolflowView): readonly AnswerText[] {
  const { exec_result, dry_run_result, call_id } = view.state
  const of = { of_run: view.run_id, ...(call_id === null ? {} : { of_call: call_id }) }
  const packet = 'approval_packet' in view ? view.approval_packet : undefined
  return [
    ...(exec_result === null ? [] : textsInOutcome(exec_result)),
    ...answerText('a dry run', dry_run_result, of),
    ...(packet === undefined || !('approval_id' in packet) ? [] : textsInPacket(packet as PacketTexts)),
  ]
}
