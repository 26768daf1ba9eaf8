import { CallAnswer, SettledAnswer, WithdrawnAnswer } from '../../../kernel/contract/answers.ts'
import { SettleBody } from '../../../kernel/contract/api.ts'
import { readCallByKey, readCall } from '../../../kernel/attempt/read-call.ts'
import { settleCall, type SettleDeps } from '../../../kernel/attempt/settle-call.ts'
import { withdrawCall } from '../../../kernel/attempt/withdraw-call.ts'
import { textsInOutcome } from '../../../kernel/sessions/answer-texts.ts'
import { CALLERS, DECIDERS, PEOPLE } from '../access.ts'
import { outcomeResponse } from '../call-request.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { callToolEndpoint, type CallToolPorts } from './call-tool.ts'

export type CallPorts = CallToolPorts & SettleDeps & Parameters<typeof withdrawCall>[0]

export const callEndpoints = (k: CallPorts): readonly Endpoint[] => [
  callToolEndpoint(k),
  endpoint({
    at: 'GET /v1/calls/{call_id}',
    access: CALLERS,
    says: 'The outcome of a call, with an optional bounded wait (wait_ms)',
    query: ['wait_ms', 'session'],
    status: [200, 202],
    answers: CallAnswer,
    run: (caller, { params, number }) => readCall(k, caller, params.call_id, number('wait_ms', 0)),
    reads: textsInOutcome,
    shows: (outcome, { trace }) => outcomeResponse(outcome, trace),
  }),
  endpoint({
    at: 'GET /v1/calls/by-key/{idempotency_key}',
    access: CALLERS,
    says: 'The outcome of the call made with an idempotency key, if its answer was lost; runs nothing',
    query: ['wait_ms', 'session'],
    status: [200, 202],
    answers: CallAnswer,
    run: (caller, { params, number }) => readCallByKey(k, caller, params.idempotency_key, number('wait_ms', 0)),
    reads: textsInOutcome,
    shows: (outcome, { trace }) => outcomeResponse(outcome, trace),
  }),
  endpoint({
    at: 'POST /v1/calls/{call_id}/resume',
    access: DECIDERS,
    says: 'Settle a call whose outcome is unknown',
    grants: true,
    body: SettleBody,
    answers: SettledAnswer,
    run: (caller, { params, body, proof }) => settleCall(k, caller, params.call_id, body.as, proof),
    reads: textsInOutcome,
  }),
  endpoint({
    at: 'POST /v1/calls/{call_id}/withdraw',
    access: ['agent', ...PEOPLE],
    says: 'Withdraw your own held call',
    answers: WithdrawnAnswer,
    run: (caller, { params }) => withdrawCall(k, caller, params.call_id),
    shows: ({ approval_id, state }) => ({ approval_id, state }),
  }),
]
