import { queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../../server/src/client/client.ts'
import { ask, withQuery } from '../../api/client.ts'
import type { ListPage } from '../../api/types.ts'

export type ListedDocument = AnswerOf<'GET /v1/workflows'>['items'][number]
export type ListedVersion = AnswerOf<'GET /v1/workflows/{name}/versions'>['items'][number]
export type ShownDiff = AnswerOf<'GET /v1/workflows/{name}/diff'>
export type VersionText = AnswerOf<'GET /v1/workflows/{name}'>
export type WorkflowRun = AnswerOf<'GET /v1/workflow-runs/{run_id}'>

const pathOf = (name: string) => `/v1/workflows/${encodeURIComponent(name)}`

export const documentsQuery = queryOptions({
  queryKey: ['workflows', 'list'],
  queryFn: async ({ signal }) => (await ask<ListPage<ListedDocument>>('/v1/workflows', { signal })).items,
  staleTime: 0,
})

export const versionsQuery = (name: string) =>
  queryOptions({
    queryKey: ['workflows', 'versions', name],
    queryFn: async ({ signal }) =>
      (await ask<ListPage<ListedVersion>>(withQuery(`${pathOf(name)}/versions`, { limit: 100 }), { signal })).items,
    staleTime: 0,
  })

/** What a version changed. The first one is compared with nothing. */
export const diffQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['workflows', 'diff', name, version],
    queryFn: ({ signal }) => ask<ShownDiff>(withQuery(`${pathOf(name)}/diff`, { version }), { signal }),
    enabled: version > 0,
  })

export const textQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['workflows', 'text', name, version],
    queryFn: ({ signal }) => ask<VersionText>(withQuery(pathOf(name), { version }), { signal }),
    enabled: version > 0,
  })

/** The stream reports changes of runs, so these are read again whenever one advances. */
export const documentRunsQuery = (name: string) =>
  queryOptions({
    queryKey: ['runs', 'document', name],
    queryFn: async ({ signal }) =>
      (await ask<ListPage<WorkflowRun>>(withQuery(`${pathOf(name)}/runs`, { limit: 50 }), { signal })).items,
    staleTime: 0,
  })

export const workflowRunQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['runs', 'workflow', run_id],
    queryFn: ({ signal }) => ask<WorkflowRun>(`/v1/workflow-runs/${encodeURIComponent(run_id)}`, { signal }),
    staleTime: 0,
  })
