import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import type {
  AgentAnswerBody,
  ThreadAnswer,
  ThreadSummaryAnswer,
} from '../../../../server/src/guests/agent/thread-answers.ts'
import { ask, withQuery } from '../../api/client.ts'
import type { ListPage, RunWithEvents } from '../../api/types.ts'

export type ShownThread = z.infer<typeof ThreadAnswer>
export type ListedThread = z.infer<typeof ThreadSummaryAnswer>
export type AgentResponse = z.infer<typeof AgentAnswerBody>
export type ThreadMessage = ShownThread['messages'][number]
export type Usage = ShownThread['usage']

export const threadsQuery = infiniteQueryOptions({
  queryKey: ['threads', 'list'],
  queryFn: ({ pageParam, signal }) =>
    ask<ListPage<ListedThread>>(withQuery('/agent/threads', { limit: 50, after: pageParam }), { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: (last) => last.next,
  staleTime: 0,
})

export const threadQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['threads', 'one', run_id],
    queryFn: ({ signal }) => ask<ShownThread>(`/agent/runs/${encodeURIComponent(run_id)}`, { signal }),
    staleTime: 0,
  })

/** The state table of threads, and the owner of the thread. It is read once, because it does not change while the gate runs. */
export const threadRunQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['thread-table', run_id],
    queryFn: ({ signal }) =>
      ask<RunWithEvents>(withQuery(`/v1/runs/${encodeURIComponent(run_id)}`, { limit: 1 }), { signal }),
  })

const STATUS = {
  running: { words: 'Working', tag: 'accent' },
  completed: { words: 'Answered', tag: 'allow' },
  awaiting_approval: { words: 'Waiting for approval', tag: 'ask' },
  awaiting_input: { words: 'Waiting for your reply', tag: 'ask' },
  failed: { words: 'Failed', tag: 'block' },
  cancelled: { words: 'Stopped', tag: '' },
} as const satisfies Record<ShownThread['status'], { words: string; tag: string }>

export const statusWords = (status: ShownThread['status']) => STATUS[status]
