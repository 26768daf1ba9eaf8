import { QueryClient, queryOptions } from '@tanstack/react-query'
import { ask, gate, withQuery } from './client.ts'
import { ProblemError } from './problem.ts'
import type { Packet, ListPage, Pause } from './types.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 300_000,
      // No polling: the stream reports changes, and reconnects when the connection is lost.
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) => failures < 2 && error instanceof ProblemError && error.problem.status === 0,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

const PAGE = 200
const MOST_HELD = 1_000

/** All pages of a list, up to a limit. */
export async function allOf<T>(path: string, most: number, signal?: AbortSignal): Promise<readonly T[]> {
  const items: T[] = []
  let after: number | undefined
  while (items.length < most) {
    const page = await ask<ListPage<T>>(withQuery(path, { limit: PAGE, after }), signal === undefined ? {} : { signal })
    items.push(...page.items)
    if (page.next === undefined) break
    after = page.next
  }
  return items
}

export const pendingQuery = queryOptions({
  queryKey: ['approvals', 'pending'],
  queryFn: ({ signal }) => allOf<Packet>('/v1/approvals', MOST_HELD, signal),
})

export const packetQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }): Promise<Packet> =>
      gate.ask('GET /v1/approvals/{approval_id}', { path: { approval_id: id }, signal }),
  })

export const pausesQuery = queryOptions({
  queryKey: ['pauses'],
  queryFn: ({ signal }) => allOf<Pause>('/v1/pauses', 1_000, signal),
})
