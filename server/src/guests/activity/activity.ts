import type { Context } from 'hono'
import { textsInLife } from '../../kernel/sessions/answer-texts.ts'
import {
  AttentionAnswer,
  CallLife,
  CallSummary,
  OverviewAnswer,
  type CallFilter,
} from '../../kernel/contract/activity.ts'
import { listOf } from '../../kernel/contract/answers.ts'
import { CallState } from '../../kernel/contract/call.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { listResponse } from '../../adapters/http/list-response.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import type { Door } from '../../adapters/http/door.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { numberOf, pageOf, partOf, readerOf } from '../../adapters/http/query.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { route, type Routes } from '../../adapters/http/route.ts'

const DAY_HOURS = 24
const MOST_HOURS = 168
const LONGEST_WORDS = 200

/** Activity: the list of calls, the history of one call, and statistics. */
export const activityRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/calls',
      query: ['state', 'tool', 'caller', 'user', 'since', 'until', 'q', ...PAGED],
      access: PEOPLE,
      summary:
        'Calls, newest first, filtered by state, tool, caller, person, time (ms) and words. With words, a page may be short and still have a `next`: one request searches a limited number of calls',
      answers: listOf(CallSummary),
    }),
    async (c) => {
      const filter = filterOf(c)
      if (!filter.ok) return problemResponse(filter.problem, c.get('trace'))
      return listResponse(await gate.activity.calls(c.get('caller'), filter.value, pageOf(c)))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/calls/{call_id}/life',
      query: ['session'],
      access: PEOPLE,
      summary: 'One call, from its request to its outcome',
      answers: CallLife,
    }),
    async (c) => {
      const found = await gate.activity.life(c.get('caller'), partOf(c, 'call_id'))
      const life = await gate.readings.labelled(readerOf(c), found, textsInLife)
      return life.ok ? jsonResponse(200, life.value) : problemResponse(life.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/overview',
      query: ['hours'],
      access: PEOPLE,
      summary: 'Statistics of the last hours (`hours`, by default 24, at most 168)',
      answers: OverviewAnswer,
    }),
    async (c) => {
      const hours = Math.min(Math.max(1, numberOf(c, 'hours', DAY_HOURS)), MOST_HOURS)
      return jsonResponse(200, await gate.activity.overview(c.get('caller'), hours * 3_600_000))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/attention',
      access: PEOPLE,
      summary:
        'What needs attention: servers that are down, requests that expire soon, calls with an unknown outcome, consents that end soon, tools to admit',
      answers: AttentionAnswer,
    }),
    async (c) => jsonResponse(200, await gate.activity.attention(c.get('caller'))),
  )
}

function filterOf(c: Context<Door>): Result<CallFilter> {
  const state = CallState.optional().safeParse(c.req.query('state'))
  if (!state.success) return refuse('request.invalid', { paths: `state: one of ${CallState.options.join(', ')}` })
  const words = c.req.query('q')
  if ((words ?? '').length > LONGEST_WORDS)
    return refuse('request.invalid', { paths: `q: at most ${LONGEST_WORDS} characters` })
  const [tool, caller, user] = ['tool', 'caller', 'user'].map((name) => c.req.query(name))
  return ok({
    ...(state.data === undefined ? {} : { state: state.data }),
    ...(tool === undefined ? {} : { tool }),
    ...(caller === undefined ? {} : { caller }),
    ...(user === undefined ? {} : { user }),
    ...(c.req.query('since') === undefined ? {} : { since: numberOf(c, 'since', 0) }),
    ...(c.req.query('until') === undefined ? {} : { until: numberOf(c, 'until', 0) }),
    ...(words === undefined ? {} : { words }),
  })
}
