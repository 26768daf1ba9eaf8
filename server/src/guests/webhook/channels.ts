import { CallbackAnswer } from '../../kernel/contract/answers.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { partOf } from '../../adapters/http/query.ts'
import { route, type Routes } from '../../adapters/http/route.ts'

/** Receives answers to webhooks. Their signature is the credential. */
export const channelRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'post',
      path: '/v1/channels/{name}/callback',
      access: 'anyone',
      summary: "A signed decision, as the channel's approver",
      answers: CallbackAnswer,
    }),
    async (c) => {
      const decided = await gate.channels.takeCallback({
        channel: partOf(c, 'name'),
        id: c.req.header('webhook-id') ?? '',
        timestamp: c.req.header('webhook-timestamp') ?? '',
        signature: c.req.header('webhook-signature') ?? '',
        body: await c.req.text(),
      })
      if (!decided.ok) return problemResponse(decided.problem, c.get('trace'))
      const { approval_id, state, decisions } = decided.value
      return jsonResponse(200, { approval_id, state, decisions: decisions.length })
    },
  )
}
