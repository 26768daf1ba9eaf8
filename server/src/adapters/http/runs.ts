import { CancelRunBody } from '../../kernel/contract/api.ts'
import { listOf, RunAnswer, RunDetailsAnswer } from '../../kernel/contract/answers.ts'
import { RunId } from '../../kernel/contract/ids.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { RunStatus } from '../../kernel/contract/run.ts'
import { PAGED } from './parameters.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { pageOf, partOf } from './query.ts'
import { ADMINS, CALLERS } from './access.ts'
import { route, routeWithBody, type Routes } from './route.ts'

const TEXTS = ['kind', 'owner', 'user', 'thread'] as const

export const runRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/runs',
      query: ['status', ...TEXTS, 'parent', ...PAGED],
      access: CALLERS,
      summary: 'Background runs (held calls, deliveries, toolflows, agent threads, workflows), newest first',
      answers: listOf(RunAnswer),
    }),
    async (c) => {
      const status = RunStatus.optional().safeParse(c.req.query('status'))
      const parent = RunId.optional().safeParse(c.req.query('parent'))
      const kind = c.req.query('kind')
      const faults = [
        ...(status.success ? [] : [`status: one of ${RunStatus.options.join(', ')}`]),
        ...(parent.success ? [] : ['parent: not the id of a run']),
        ...(kind === undefined || gate.runs.kinds.includes(kind) ? [] : [`kind: one of ${gate.runs.kinds.join(', ')}`]),
      ]
      if (!status.success || !parent.success || faults.length > 0)
        return problemResponse(problem('request.invalid', { paths: faults.join('; ') }), c.get('trace'))
      const asked = TEXTS.map((name) => [name, c.req.query(name)]).filter(([, value]) => value !== undefined)
      const filter = {
        ...(Object.fromEntries(asked) as Partial<Record<(typeof TEXTS)[number], string>>),
        ...(status.data === undefined ? {} : { status: status.data }),
        ...(parent.data === undefined ? {} : { parent: parent.data }),
      }
      return jsonResponse(200, await gate.runs.list(c.get('caller'), filter, pageOf(c)))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/runs/{run_id}',
      query: PAGED,
      access: CALLERS,
      summary: 'One run and a page of its journal: types, keys and times, but no arguments or outputs',
      answers: RunDetailsAnswer,
    }),
    async (c) => {
      const read = await gate.runs.read(c.get('caller'), partOf(c, 'run_id'), pageOf(c))
      return read.ok ? jsonResponse(200, read.value) : problemResponse(read.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/runs/{run_id}/cancel',
      status: [202],
      access: CALLERS,
      summary:
        'Ask a run to stop; a call that is waiting for approval is withdrawn, one that is executing is allowed to finish',
      body: CancelRunBody,
      answers: RunAnswer,
    }),
    async (c) => {
      const { reason } = c.req.valid('json')
      const cancelled = await gate.runs.cancel(c.get('caller'), partOf(c, 'run_id'), reason)
      return cancelled.ok ? jsonResponse(202, cancelled.value) : problemResponse(cancelled.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'post',
      path: '/v1/runs/{run_id}/resume',
      access: ADMINS,
      summary: 'Resume a faulted run, after its cause was fixed',
      answers: RunAnswer,
    }),
    async (c) => {
      const resumed = await gate.runs.resume(c.get('caller'), partOf(c, 'run_id'))
      return resumed.ok ? jsonResponse(200, resumed.value) : problemResponse(resumed.problem, c.get('trace'))
    },
  )
}
