import type { Context } from 'hono'
import { textsInToolflow } from '../../kernel/sessions/answer-texts.ts'
import type { Door } from '../../adapters/http/door.ts'
import { ToolflowViewAnswer } from '../../kernel/contract/answers.ts'
import { ToolflowAnswer, ToolflowBody, type ToolflowView } from './toolflow.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { numberOf, partOf, readerOf } from '../../adapters/http/query.ts'
import { CALLERS, DECIDERS } from '../../adapters/http/access.ts'
import { siteOf } from '../../adapters/http/proof.ts'
import { route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

const WAIT_MS = 30_000

export const toolflowRoutes: Routes = (app, gate) => {
  const labelled = (c: Context<Door>, view: Result<ToolflowView>) =>
    gate.readings.labelled(readerOf(c), view, textsInToolflow)

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/toolflow',
      query: ['wait_ms', 'session'],
      access: CALLERS,
      summary:
        'Search, choose, judge and run one tool, as a durable flow (wait_ms until it first pauses or ends, default 30000)',
      body: ToolflowBody,
      answers: ToolflowViewAnswer,
    }),
    async (c) => {
      const key = c.req.header('idempotency-key')
      const ran = await gate.toolflow.run(c.get('caller'), c.req.valid('json'), {
        trace: c.get('trace'),
        wait_ms: numberOf(c, 'wait_ms', WAIT_MS),
        ...(key === undefined ? {} : { idempotency_key: key }),
      })
      return viewResponse(await labelled(c, ran), c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/toolflow/{run_id}',
      query: ['wait_ms', 'session'],
      access: CALLERS,
      summary: 'A flow and its card, with an optional bounded wait (wait_ms)',
      answers: ToolflowViewAnswer,
    }),
    async (c) => {
      const view = await gate.toolflow.read(c.get('caller'), partOf(c, 'run_id'), numberOf(c, 'wait_ms', 0))
      return viewResponse(await labelled(c, view), c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/toolflow/by-key/{idempotency_key}',
      query: ['wait_ms', 'session'],
      access: CALLERS,
      summary: 'The flow started with an idempotency key, if its answer was lost; starts nothing',
      answers: ToolflowViewAnswer,
    }),
    async (c) => {
      const wait = numberOf(c, 'wait_ms', 0)
      const view = await gate.toolflow.readByKey(c.get('caller'), partOf(c, 'idempotency_key'), wait)
      return viewResponse(await labelled(c, view), c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/toolflow/{run_id}/resume',
      query: ['wait_ms', 'session'],
      access: DECIDERS,
      summary: 'Answer the approval packet of a flow: Approve & Execute, Edit Inputs, Cancel',
      grants: true,
      body: ToolflowAnswer,
      answers: ToolflowViewAnswer,
    }),
    async (c) => {
      const wait = numberOf(c, 'wait_ms', WAIT_MS)
      const site = siteOf(c, c.get('login'))
      const view = await gate.toolflow.resume(c.get('caller'), partOf(c, 'run_id'), c.req.valid('json'), wait, site)
      return viewResponse(await labelled(c, view), c.get('trace'))
    },
  )
}

/** A toolflow that has not ended is answered with 202, everything else with 200. */
function viewResponse(view: Result<ToolflowView>, trace: string): Response {
  if (!view.ok) return problemResponse(view.problem, trace)
  const isOver = view.value.state.node === 'FINAL'
  return jsonResponse(isOver ? 200 : 202, view.value)
}
