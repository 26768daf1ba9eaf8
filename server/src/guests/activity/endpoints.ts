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
import { textsInLife } from './read-life.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type Asked, type Endpoint } from '../../adapters/http/endpoint.ts'
import { listResponse } from '../../adapters/http/list-response.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { callerIn } from '../../adapters/http/query.ts'
import { listCalls, type ListCallsDeps } from './list-calls.ts'
import { readAttention, type AttentionDeps } from './read-attention.ts'
import { readLife, type LifeDeps } from './read-life.ts'
import { openOverview, type OverviewDeps } from './read-overview.ts'

export type ActivityPorts = ListCallsDeps & LifeDeps & OverviewDeps & AttentionDeps

const DAY_HOURS = 24
const MOST_HOURS = 168
const LONGEST_WORDS = 200
const FILTERS = ['state', 'tool', 'agent', 'caller', 'user', 'since', 'until', 'q'] as const

/** Activity: the list of calls, the history of one call, and statistics. */
export function endpoints(k: ActivityPorts): readonly Endpoint[] {
  const overview = openOverview(k)
  return [
    endpoint({
      at: 'GET /v1/calls',
      access: PEOPLE,
      says: 'Calls, newest first, filtered by state, tool, agent or caller, person, time (ms) and words. With words, a page may be short and still have a `next`: one request searches a limited number of calls',
      query: [...FILTERS, ...PAGED],
      answers: listOf(CallSummary),
      async run(caller, asked) {
        const filter = filterOf(asked)
        return filter.ok ? ok(await listCalls(k, caller, filter.value, asked.page)) : filter
      },
      shows: listResponse,
    }),
    endpoint({
      at: 'GET /v1/calls/{call_id}/life',
      access: PEOPLE,
      says: 'One call, from its request to its outcome',
      query: ['session'],
      answers: CallLife,
      run: (caller, { params }) => readLife(k, caller, params.call_id),
      reads: textsInLife,
    }),
    endpoint({
      at: 'GET /v1/overview',
      access: PEOPLE,
      says: 'Statistics of the last hours (`hours`, by default 24, at most 168)',
      query: ['hours'],
      answers: OverviewAnswer,
      async run(caller, { number }) {
        const hours = Math.min(Math.max(1, number('hours', DAY_HOURS)), MOST_HOURS)
        return ok(await overview(caller, hours * 3_600_000))
      },
    }),
    endpoint({
      at: 'GET /v1/attention',
      access: PEOPLE,
      says: 'What needs attention: servers that are down, requests that expire soon, calls with an unknown outcome, consents that end soon, tools to admit',
      answers: AttentionAnswer,
      run: async (caller) => ok(await readAttention(k, caller)),
    }),
  ]
}

function filterOf({
  query,
  number,
}: Pick<Asked<never, undefined, (typeof FILTERS)[number]>, 'query' | 'number'>): Result<CallFilter> {
  const { tool, user, since, until, q: words } = query
  const state = CallState.optional().safeParse(query.state)
  if (!state.success) return refuse('request.invalid', { paths: `state: one of ${CallState.options.join(', ')}` })
  if ((words ?? '').length > LONGEST_WORDS)
    return refuse('request.invalid', { paths: `q: at most ${LONGEST_WORDS} characters` })
  const caller = callerIn(query)
  if (!caller.ok) return caller
  return ok({
    ...(state.data === undefined ? {} : { state: state.data }),
    ...(tool === undefined ? {} : { tool }),
    ...(caller.value === undefined ? {} : { caller: caller.value }),
    ...(user === undefined ? {} : { user }),
    ...(since === undefined ? {} : { since: number('since', 0) }),
    ...(until === undefined ? {} : { until: number('until', 0) }),
    ...(words === undefined ? {} : { words }),
  })
}
