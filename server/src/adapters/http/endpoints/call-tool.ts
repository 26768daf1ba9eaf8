import { CallAnswer } from '../../../kernel/contract/answers.ts'
import { CallBody } from '../../../kernel/contract/call-body.ts'
import type { CallRequest, Outcome } from '../../../kernel/contract/call.ts'
import { ok } from '../../../kernel/contract/problems.ts'
import { readCall, type ReadCallDeps } from '../../../kernel/attempt/read-call.ts'
import { textsInOutcome } from '../../../kernel/sessions/answer-texts.ts'
import { CALLERS } from '../access.ts'
import { callRequestOf, outcomeResponse } from '../call-request.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'

export type CallToolPorts = ReadCallDeps & { dispatch(request: CallRequest): Promise<Outcome> }

/** Also served without the router. */
export const callToolEndpoint = (k: CallToolPorts): Endpoint =>
  endpoint({
    at: 'POST /v1/calls',
    access: CALLERS,
    says: 'Call a tool',
    query: ['wait_ms'],
    status: [200, 202],
    keeps_keys: true,
    plain: true,
    body: CallBody,
    answers: CallAnswer,
    async run(caller, asked) {
      const { body, trace, key } = asked
      const traceparent = asked.header('traceparent')
      const outcome = await k.dispatch(callRequestOf(caller, body, { trace, idempotency_key: key, traceparent }))
      if (outcome.status !== 'pending') return ok(outcome)
      const wait = asked.number('wait_ms', 0)
      if (wait === 0) return ok(outcome)
      const reader = { caller, ...(body.thread === undefined ? {} : { thread: body.thread }) }
      const later = await readCall(k, caller, outcome.call_id, wait)
      const entered = later.ok ? await asked.door.enter(reader, textsInOutcome(later.value)) : later
      return ok(later.ok && entered.ok ? later.value : outcome)
    },
    shows: (outcome, { trace }) => outcomeResponse(outcome, trace),
  })
