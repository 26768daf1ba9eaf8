import { listOf } from '../../kernel/contract/answers.ts'
import { DelegateBody, DelegationAnswer, RoutesAnswer } from '../../kernel/contract/delegation.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { partOf } from './query.ts'
import { DECIDERS } from './access.ts'
import { withoutProof } from './proof.ts'
import { route, routeWithBody, type Routes } from './route.ts'

/** Approval routes and delegations. */
export const delegationRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/approval-routes',
      access: DECIDERS,
      summary: 'Who is asked about which calls: the groups and the routes in force',
      answers: RoutesAnswer,
    }),
    (c) => {
      const shown = gate.approvals.routes(c.get('caller'))
      return shown.ok ? jsonResponse(200, shown.value) : problemResponse(shown.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/delegations',
      access: DECIDERS,
      summary: 'Who has delegated approvals to whom, and until when',
      answers: listOf(DelegationAnswer),
    }),
    async (c) => {
      const listed = await gate.approvals.delegations(c.get('caller'))
      return listed.ok ? jsonResponse(200, { items: listed.value }) : problemResponse(listed.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/delegations',
      status: [201],
      access: DECIDERS,
      summary: 'Delegate your approvals to another approver for a period; it is audited',
      grants: true,
      body: DelegateBody,
      answers: DelegationAnswer,
    }),
    async (c) => {
      const terms = withoutProof(c.req.valid('json'))
      const given = await gate.approvals.delegate(c.get('caller'), terms, c.get('proof'))
      return given.ok ? jsonResponse(201, given.value) : problemResponse(given.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'delete',
      path: '/v1/delegations/{delegation_id}',
      access: DECIDERS,
      summary: 'End a delegation now',
      answers: DelegationAnswer,
    }),
    async (c) => {
      const ended = await gate.approvals.endDelegation(c.get('caller'), partOf(c, 'delegation_id'))
      return ended.ok ? jsonResponse(200, ended.value) : problemResponse(ended.problem, c.get('trace'))
    },
  )
}
