import { PAGED } from './parameters.ts'
import { listOf, RunAnswer } from '../../contract/answers.ts'
import { problem } from '../../contract/problems.ts'
import { RunStatus } from '../../contract/run.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { pageOf } from './query.ts'
import { DECIDERS, route, type Routes } from './route.ts'

export const runRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/runs',
      query: ['status', ...PAGED],
      access: DECIDERS,
      summary: 'Held calls, deliveries and flows that advance in steps, newest first (`status`: active or done)',
      answers: listOf(RunAnswer),
    }),
    async (c) => {
      const status = RunStatus.optional().safeParse(c.req.query('status'))
      if (!status.success)
        return problemResponse(problem('request.invalid', { paths: 'status: active or done' }), c.get('trace'))
      const listed = await gate.listRuns(c.get('caller'), status.data, pageOf(c))
      return listed.ok ? jsonResponse(200, listed.value) : problemResponse(listed.problem, c.get('trace'))
    },
  )
}
