import { queryOptions } from '@tanstack/react-query'
import type { FlowChecklistAnswer } from '../../../../server/src/guests/flows/flow-answers.ts'
import type { Flow, FlowRunView, FlowStep, ProposalView } from '../../../../server/src/guests/flows/flows.ts'
import { ask, withQuery } from '../../api/client.ts'
import type { ListPage } from '../../api/types.ts'

export type { Flow, FlowRunView, FlowStep, ProposalView }
export type Checklist = FlowChecklistAnswer
export type ShownStepState = FlowRunView['step_states'][number]

export const flowsQuery = queryOptions({
  queryKey: ['flows', 'list'],
  queryFn: ({ signal }) => ask<{ readonly flows: readonly Flow[] }>('/api/v1/flows?limit=200', { signal }),
  staleTime: 0,
})

export const runsQuery = (status: string) =>
  queryOptions({
    queryKey: ['flows', 'runs', status],
    queryFn: ({ signal }) =>
      ask<{ readonly runs: readonly FlowRunView[]; readonly next_cursor?: string }>(
        withQuery('/api/v1/flows/runs', { status, limit: 100 }),
        { signal },
      ),
    staleTime: 0,
  })

export const checklistQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['flows', 'run', run_id],
    queryFn: ({ signal }) => ask<Checklist>(`/api/v1/flows/runs/${encodeURIComponent(run_id)}/checklist`, { signal }),
    staleTime: 0,
  })

export const proposalsQuery = queryOptions({
  queryKey: ['flows', 'proposals'],
  queryFn: async ({ signal }) =>
    (await ask<ListPage<ProposalView>>(withQuery('/v1/proposals', { state: 'proposed', limit: 200 }), { signal }))
      .items,
  staleTime: 0,
})

export const isOpenStep = ({ status }: ShownStepState): boolean => status !== 'done' && status !== 'skipped'

/** The first step that is neither done nor skipped. */
export const frontierOf = (states: readonly ShownStepState[]): number => {
  const at = states.findIndex(isOpenStep)
  return at === -1 ? states.length : at
}
