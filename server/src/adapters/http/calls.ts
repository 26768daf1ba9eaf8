import { textsInOutcome, textsInWhy } from '../../kernel/sessions/answer-texts.ts'
import { CallAnswer, SettledAnswer, WithdrawnAnswer } from '../../kernel/contract/answers.ts'
import { SettleBody } from '../../kernel/contract/api.ts'
import { CallBody } from '../../kernel/contract/call-body.ts'
import { WhyAnswer } from '../../guests/provenance/why.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { CALLERS, DECIDERS, PEOPLE } from './access.ts'
import { callRequestOf, outcomeResponse } from './call-request.ts'
import { route, routeWithBody, type Routes } from './route.ts'
import { numberOf, partOf, readerOf } from './query.ts'

export const callRoutes: Routes = (app, gate) => {
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/calls',
      query: ['wait_ms'],
      status: [200, 202],
      access: CALLERS,
      summary: 'Call a tool',
      answers: CallAnswer,
      body: CallBody,
      keeps_keys: true,
    }),
    async (c) => {
      const caller = c.get('caller')
      const body = c.req.valid('json')
      const { thread } = body
      const request = callRequestOf(caller, body, {
        trace: c.get('trace'),
        idempotency_key: c.req.header('idempotency-key'),
        traceparent: c.req.header('traceparent'),
      })
      const outcome = await gate.calls.dispatch(request)
      const wait = numberOf(c, 'wait_ms', 0)
      if (outcome.status !== 'pending' || wait === 0) return outcomeResponse(outcome, c.get('trace'))
      const reader = { caller, ...(thread === undefined ? {} : { thread }) }
      const read = await gate.calls.read(caller, outcome.call_id, wait)
      const later = await gate.readings.labelled(reader, read, textsInOutcome)
      return outcomeResponse(later.ok ? later.value : outcome, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/calls/{call_id}',
      query: ['wait_ms', 'session'],
      status: [200, 202],
      access: CALLERS,
      summary: 'The outcome of a call, with an optional bounded wait (wait_ms)',
      answers: CallAnswer,
    }),
    async (c) => {
      const found = await gate.calls.read(c.get('caller'), partOf(c, 'call_id'), numberOf(c, 'wait_ms', 0))
      const read = await gate.readings.labelled(readerOf(c), found, textsInOutcome)
      return read.ok ? outcomeResponse(read.value, c.get('trace')) : problemResponse(read.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/calls/by-key/{idempotency_key}',
      query: ['wait_ms', 'session'],
      status: [200, 202],
      access: CALLERS,
      summary: 'The outcome of the call made with an idempotency key, if its answer was lost; runs nothing',
      answers: CallAnswer,
    }),
    async (c) => {
      const key = partOf(c, 'idempotency_key')
      const found = await gate.calls.readByKey(c.get('caller'), key, numberOf(c, 'wait_ms', 0))
      const read = await gate.readings.labelled(readerOf(c), found, textsInOutcome)
      return read.ok ? outcomeResponse(read.value, c.get('trace')) : problemResponse(read.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/calls/{call_id}/why',
      query: ['session'],
      access: PEOPLE,
      summary:
        'Where a call came from: what the user asked for, which other texts ask for it, and the source of each argument',
      answers: WhyAnswer,
    }),
    async (c) => {
      const found = await gate.calls.why(c.get('caller'), partOf(c, 'call_id'))
      const why = await gate.readings.labelled(readerOf(c), found, textsInWhy)
      return why.ok ? jsonResponse(200, why.value) : problemResponse(why.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/calls/{call_id}/resume',
      access: DECIDERS,
      summary: 'Settle a call whose outcome is unknown',
      answers: SettledAnswer,
      grants: true,
      body: SettleBody,
    }),
    async (c) => {
      const { as } = c.req.valid('json')
      const ended = await gate.calls.settle(c.get('caller'), partOf(c, 'call_id'), as, c.get('proof'))
      const settled = await gate.readings.labelled(readerOf(c), ended, textsInOutcome)
      return settled.ok ? jsonResponse(200, settled.value) : problemResponse(settled.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'post',
      path: '/v1/calls/{call_id}/withdraw',
      access: ['agent', ...PEOPLE],
      summary: 'Withdraw your own held call',
      answers: WithdrawnAnswer,
    }),
    async (c) => {
      const withdrawn = await gate.calls.withdraw(c.get('caller'), partOf(c, 'call_id'))
      if (!withdrawn.ok) return problemResponse(withdrawn.problem, c.get('trace'))
      return jsonResponse(200, { approval_id: withdrawn.value.approval_id, state: withdrawn.value.state })
    },
  )
}
