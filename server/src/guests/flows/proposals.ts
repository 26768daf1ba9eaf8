import type { Context } from 'hono'
import type { Gate } from '../../main/gate.ts'
import { textsInFlow } from '../../kernel/sessions/answer-texts.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { Door } from '../../adapters/http/door.ts'
import { listOf } from '../../kernel/contract/answers.ts'
import { DecideProposalBody, EvaluateBody, ProposalView } from './flows.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { pageOf, partOf, readerOf } from '../../adapters/http/query.ts'
import { CALLERS, OVERSEERS, PEOPLE } from '../../adapters/http/access.ts'
import { route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

/** Proposals from flow runs: filed, evaluated, approved or discarded. */
export const proposalRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/proposals',
      query: ['limit', 'after', 'state', 'run_id', 'session', 'vault_id'],
      access: CALLERS,
      summary: 'Proposals that you can see, newest first',
      answers: listOf(ProposalView),
    }),
    async (c) => {
      const { state, run_id, vault_id } = c.req.query()
      const asked = {
        ...pageOf(c),
        ...(state === undefined || state === 'all' ? {} : { state }),
        ...(run_id === undefined ? {} : { run_id }),
        ...(vault_id === undefined ? {} : { vault_id }),
      }
      return answered(gate, c, await gate.flows.proposals.list(c.get('caller'), asked))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/proposals/{proposal_id}',
      query: ['session', 'vault_id'],
      access: CALLERS,
      summary: 'One proposal',
      answers: ProposalView,
    }),
    async (c) => {
      const read = await gate.flows.proposals.read(c.get('caller'), partOf(c, 'proposal_id'), c.req.query('vault_id'))
      return answered(gate, c, read)
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/proposals/{proposal_id}/evaluate',
      query: ['session', 'vault_id'],
      access: OVERSEERS,
      summary: 'Answer the rubric of a proposal',
      body: EvaluateBody,
      answers: ProposalView,
    }),
    async (c) => {
      const body = c.req.valid('json')
      const etag = c.req.header('if-match')
      const id = partOf(c, 'proposal_id')
      const asked = etag === undefined ? body : { ...body, etag }
      const done = await gate.flows.proposals.evaluate(c.get('caller'), id, asked, c.req.query('vault_id'))
      return answered(gate, c, done, body)
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/proposals/{proposal_id}/decide',
      query: ['session', 'vault_id'],
      access: PEOPLE,
      summary: 'Approve a proposal, or discard it',
      body: DecideProposalBody,
      answers: ProposalView,
    }),
    async (c) => {
      const body = c.req.valid('json')
      const etag = c.req.header('if-match')
      const id = partOf(c, 'proposal_id')
      const asked = etag === undefined ? body : { ...body, etag }
      const done = await gate.flows.proposals.decide(c.get('caller'), id, asked, c.req.query('vault_id'))
      return answered(gate, c, done, body)
    },
  )
}

async function answered(gate: Gate, c: Context<Door>, answer: Result<object>, asked: object = {}): Promise<Response> {
  const done = await gate.readings.labelled(readerOf(c), answer, (value) => textsInFlow(value, asked as Json))
  return done.ok ? jsonResponse(200, done.value) : problemResponse(done.problem, c.get('trace'))
}
