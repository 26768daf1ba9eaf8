import { z } from 'zod'
import { listOf } from '../../kernel/contract/answers.ts'
import { DecisionsBody, HubKeysAnswer, NodeAnswer, NodeOutcome, NodeRequest, WordsAnswer } from './hub.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { ADMINS, OVERSEERS } from '../../adapters/http/access.ts'
import { route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

const NODES = ['node'] as const
const RotateBody = z.strictObject({ step: z.enum(['prepare', 'activate']) })

/** Requests of nodes to their hub, and the list of nodes for people. */
export const hubRoutes: Routes = (app, gate) => {
  const replies = (said: Result<readonly string[]>, trace: string) =>
    said.ok ? jsonResponse(200, { words: said.value }) : problemResponse(said.problem, trace)
  const keys = (said: Result<HubKeysAnswer>, trace: string) =>
    said.ok ? jsonResponse(200, said.value) : problemResponse(said.problem, trace)

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/hub/requests',
      access: NODES,
      summary: 'A node asks for a decision about a held call; the answer is signed',
      body: NodeRequest,
      answers: WordsAnswer,
    }),
    async (c) => replies(await gate.hub.takeRequest(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/hub/outcomes',
      access: NODES,
      summary: 'A node reports how a call ended',
      body: NodeOutcome,
      answers: WordsAnswer,
    }),
    async (c) => replies(await gate.hub.takeOutcome(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/hub/decisions',
      access: NODES,
      summary: 'The signed decisions about requests of this node; waits up to `wait_s` seconds for one',
      body: DecisionsBody,
      answers: WordsAnswer,
      keeps_keys: true,
    }),
    async (c) => replies(await gate.hub.decisions(c.get('caller'), c.req.valid('json')), c.get('trace')),
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/hub/key',
      access: [...NODES, ...OVERSEERS],
      summary: 'The public keys with which this hub signs',
      answers: HubKeysAnswer,
    }),
    (c) => keys(gate.hub.keys(c.get('caller')), c.get('trace')),
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/hub/key',
      access: ADMINS,
      summary: 'Prepare the next signing key of this hub, or activate it',
      body: RotateBody,
      answers: HubKeysAnswer,
    }),
    async (c) => keys(await gate.hub.changeKey(c.get('caller'), c.req.valid('json').step), c.get('trace')),
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/hub/nodes',
      access: OVERSEERS,
      summary: 'The nodes of this hub, and how many of their calls wait for a decision',
      answers: listOf(NodeAnswer),
    }),
    async (c) => {
      const nodes = await gate.hub.nodes(c.get('caller'))
      return nodes.ok ? jsonResponse(200, { items: nodes.value }) : problemResponse(nodes.problem, c.get('trace'))
    },
  )
}
