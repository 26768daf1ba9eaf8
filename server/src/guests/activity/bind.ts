import type { AttentionAnswer, CallFilter, CallLife, OverviewAnswer } from '../../kernel/contract/activity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import { listCalls, type CallsPage, type ListCallsDeps } from './list-calls.ts'
import { readAttention, type AttentionDeps } from './read-attention.ts'
import { readLife, type LifeDeps } from './read-life.ts'
import { openOverview, type OverviewDeps } from './read-overview.ts'

export type ActivityDeps = ListCallsDeps & LifeDeps & OverviewDeps & AttentionDeps

export interface ActivityGate {
  /** Newest first, filtered before they are paged. */
  calls(caller: Caller, filter: CallFilter, page: Page): Promise<CallsPage>
  life(caller: Caller, call_id: string): Promise<Result<CallLife>>
  overview(caller: Caller, window_ms: number): Promise<OverviewAnswer>
  attention(caller: Caller): Promise<AttentionAnswer>
}

export function bindActivity(deps: ActivityDeps): ActivityGate {
  return {
    calls: (caller, filter, page) => listCalls(deps, caller, filter, page),
    life: (caller, id) => readLife(deps, caller, id),
    overview: openOverview(deps),
    attention: (caller) => readAttention(deps, caller),
  }
}
