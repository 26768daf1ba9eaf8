import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CallLife, CallSummary } from '../../../server/src/kernel/contract/activity.ts'
import { ask, withQuery } from '../api/client.ts'
import type { ListPage } from '../api/types.ts'

export type CallFilters = {
  readonly state?: string
  readonly tool?: string
  readonly caller?: string
  readonly words?: string
  /** How far back, in hours. */
  readonly span?: string
}

const PAGE = 100
const HOUR = 3_600_000

/** The list is not refreshed automatically, because rows would move under the pointer. */
export const activityQuery = (filters: CallFilters, now: number) =>
  infiniteQueryOptions({
    queryKey: ['activity', filters, now],
    queryFn: ({ pageParam, signal }) => {
      const { span, words: q, ...asked } = filters
      const since = span === undefined ? undefined : now - Number(span) * HOUR
      return ask<ListPage<CallSummary>>(withQuery('/v1/calls', { ...asked, q, since, limit: PAGE, after: pageParam }), {
        signal,
      })
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => last.next,
    gcTime: 60_000,
  })

export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ['calls', 'one', id],
    queryFn: ({ signal }) => ask<CallLife>(`/v1/calls/${encodeURIComponent(id)}/life`, { signal }),
    gcTime: 0,
  })
