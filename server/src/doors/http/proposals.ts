import { listOf } from '../../contract/answers.ts'
import { DecideProposalBody, EvaluateBody, ProposalView } from '../../contract/flows.ts'
import type { Result } from '../../contract/problems.ts'
import { jsonResponse, problemResponse } from '../entrance/problem.ts'
import { pageOf, partOf } from './query.ts'
import { CALLERS, OVERSEERS, PEOPLE, route, routeWithBody, type Routes } from './route.ts'

/** What leaves a run as knowledge: proposed, evaluated, approved or discarded. */
export const proposalRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/proposals',
      query: ['limit', 'after', 'state', 'run_id', 'vault_id'],
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
      return answered(await gate.flows.proposals.list(c.get('caller'), asked), c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/proposals/{proposal_id}',
      query: ['vault_id'],
      access: CALLERS,
      summary: 'One proposal',
      answers: ProposalView,
    }),
    async (c) => {
      const read = await gate.flows.proposals.read(c.get('caller'), partOf(c, 'proposal_id'), c.req.query('vault_id'))
      return answered(read, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/proposals/{proposal_id}/evaluate',
      query: ['vault_id'],
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
      return answered(
        await gate.flows.proposals.evaluate(c.get('caller'), id, asked, c.req.query('vault_id')),
        c.get('trace'),
      )
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/proposals/{proposal_id}/decide',
      query: ['vault_id'],
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
      return answered(
        await gate.flows.proposals.decide(c.get('caller'), id, asked, c.req.query('vault_id')),
        c.get('trace'),
      )
    },
  )
}

const answered = (done: Result<object>, trace: string): Response =>
  done.ok ? jsonResponse(200, done.value) : problemResponse(done.problem, trace)
