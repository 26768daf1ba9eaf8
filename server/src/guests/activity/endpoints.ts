import {
  AttentionAnswer,
  CallLife,
  CallSummary,
  OverviewAnswer,
  type CallFilter,
} from '../../kernel/contract/activity.ts'
import { listOf } from '../../kernel/contract/answers.ts'
import { CallState, type CallRow } from '../../kernel/contract/call.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { textsInLife, readLife, type LifePorts } from './read-life.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type EndpointInput, type Endpoint } from '../../adapters/http/endpoint.ts'
import { listResponse } from '../../adapters/http/list-response.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { callerIn } from '../../adapters/http/query.ts'
import { readAttention, type AttentionPorts } from './read-attention.ts'
import { openOverview, type OverviewPorts } from './read-overview.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { maySeeCall, searchFor } from '../../kernel/attempt/read-call.ts'
import type { Stored, Page, Searches, SearchWhere } from '../../kernel/ports/reads.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import { summariseCall, type SummaryDeps } from '../../kernel/attempt/summarise-call.ts'

export type ActivityPorts = ListCallsPorts & LifePorts & OverviewPorts & AttentionPorts

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
}: Pick<EndpointInput<never, undefined, (typeof FILTERS)[number]>, 'query' | 'number'>): Result<CallFilter> {
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

type ListCallsPorts = SummaryDeps & { readonly searches: Searches }
type CallsPage = { readonly items: readonly CallSummary[]; readonly next?: number }

/**
 * How many calls one page searches for words. There is no index for this, because the searched texts are deleted after the
 * retention period.
 */
const MOST_READ = 2_000
const AT_ONCE = 200

/**
 * Calls, newest first, as far as the caller may see them: filtered before they are paged. When searching for words, a page may be
 * short and still have a `next`, which says how far the search got.
 */
export async function listCalls(
  deps: ListCallsPorts,
  caller: Caller,
  filter: CallFilter,
  page: Page,
): Promise<CallsPage> {
  const where = searchFor(caller, whereOf(filter))
  if (where === undefined) return { items: [] }
  const words = (filter.words ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const items: CallSummary[] = []
  let cursor = page.after
  let read = 0
  for (;;) {
    const limit = words.length === 0 ? page.limit - items.length : AT_ONCE
    const found = await deps.searches.search('calls', where, {
      limit,
      newest_first: true,
      ...(cursor === undefined ? {} : { after: cursor }),
    })
    for (const held of found.items) {
      const summary = await fitting(deps, caller, held, words)
      if (summary !== undefined) items.push(summary)
      cursor = held.cursor
      if (items.length === page.limit) return { items, next: cursor }
    }
    read += Math.max(1, found.items.length)
    cursor = found.next
    if (cursor === undefined) return { items }
    if (words.length === 0 || read >= MOST_READ) return { items, next: cursor }
  }
}

async function fitting(
  deps: ListCallsPorts,
  caller: Caller,
  { row }: Stored<'calls'>,
  words: readonly string[],
): Promise<CallSummary | undefined> {
  if (!maySeeCall(caller, row)) return undefined
  // Most rows are filtered out before anything is redacted; redacted text cannot be searched.
  if (!holdsAll(namesOf(row, row.canonical_args), words, true)) return undefined
  const { summary, args } = await summariseCall(deps, row)
  return holdsAll(namesOf(row, `${args} ${sentenceText(summary.sentence)}`), words, false) ? summary : undefined
}

const namesOf = (row: CallRow, text: string): string =>
  [row.call_id, row.approval_id ?? '', row.tool_id, row.caller.id, row.caller.user, row.thread, row.trace, text].join(
    ' ',
  )

/** `isLoose`: a word that could occur in one of our own sentences counts as found, because the sentences are not built yet. */
function holdsAll(text: string, words: readonly string[], isLoose: boolean): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word) || (isLoose && OUR_WORD.test(word)))
}

const OUR_WORD = /^[\p{L}€$£¥.,\d-]{1,16}$/u

function whereOf({ state, tool, caller, user, since, until }: CallFilter): SearchWhere {
  return {
    ...(state === undefined ? {} : { state }),
    ...(tool === undefined ? {} : { tool_id: tool }),
    ...(caller === undefined ? {} : { caller }),
    ...(user === undefined ? {} : { user }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  }
}
