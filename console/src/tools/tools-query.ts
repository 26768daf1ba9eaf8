import { queryOptions } from '@tanstack/react-query'
import type { DefinitionReview } from '../../../server/src/kernel/contract/definition-review.ts'
import { ask } from '../api/client.ts'
import { allOf } from '../api/queries.ts'
import type { Server, ListedTool } from '../api/types.ts'

export const toolsQuery = queryOptions({
  queryKey: ['tools', 'all'],
  queryFn: ({ signal }) => allOf<ListedTool>('/v1/tools', 20_000, signal),
})

export const serversQuery = queryOptions({
  queryKey: ['servers'],
  // The health of servers is not stored, so the stream does not report it.
  refetchInterval: 5_000,
  queryFn: ({ signal }) => allOf<Server>('/v1/servers', 1_000, signal),
})

export const reviewQuery = (tool: string) =>
  queryOptions({
    queryKey: ['tools', 'definition', tool],
    queryFn: ({ signal }) => ask<DefinitionReview>(`/v1/tools/${encodeURIComponent(tool)}/definition`, { signal }),
  })
