import { ChannelsAnswer } from '../../kernel/contract/answers.ts'
import { PushAnswer, PushBody, PushSubscriptionAnswer } from '../../kernel/contract/web-push.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { partOf } from '../../adapters/http/query.ts'
import { DECIDERS } from '../../adapters/http/access.ts'
import { route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

/** Web push subscriptions for new requests. */
export const pushRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/channels',
      access: DECIDERS,
      summary: 'The configured channels, the events of each, and whether people can decide through it',
      answers: ChannelsAnswer,
    }),
    () => jsonResponse(200, { items: gate.channels.list() }),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/push',
      access: DECIDERS,
      summary: 'Your browsers that are notified of new requests, and the key to subscribe with',
      answers: PushAnswer,
    }),
    async (c) => {
      const listed = await gate.channels.push.list(c.get('caller'))
      return listed.ok ? jsonResponse(200, listed.value) : problemResponse(listed.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/push',
      access: DECIDERS,
      summary: 'Notify this browser of new requests; notifications contain no argument values',
      body: PushBody,
      answers: PushSubscriptionAnswer,
    }),
    async (c) => {
      const made = await gate.channels.push.subscribe(c.get('caller'), c.req.valid('json'))
      return made.ok ? jsonResponse(200, made.value) : problemResponse(made.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'delete',
      path: '/v1/push/{push_id}',
      access: DECIDERS,
      summary: 'Stop notifying one of your browsers',
      answers: PushSubscriptionAnswer,
    }),
    async (c) => {
      const removed = await gate.channels.push.remove(c.get('caller'), partOf(c, 'push_id'))
      return removed.ok ? jsonResponse(200, removed.value) : problemResponse(removed.problem, c.get('trace'))
    },
  )
}
