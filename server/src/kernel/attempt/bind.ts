import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRequest, Outcome } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import type { WhyAnswer } from '../../guests/provenance/why.ts'
import type { Result } from '../contract/problems.ts'
import { listUnknown, type ApprovalReadDeps, type UnknownPage } from '../approvals/read-approvals.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { Page } from '../ports/reads.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { cancelTask, type CancelDeps } from './cancel-task.ts'
import { dispatchCall, type AskedDeps } from './asked.ts'
import { readCallByKey } from './read-call-by-key.ts'
import { readCall, type ReadCallDeps } from './read-call.ts'
import { listTasks, readTask, type CallTask, type TasksPage } from './read-task.ts'
import type { ShownProof } from '../identity/prove-person.ts'
import { settleCall, type SettleDeps, type Settlement } from './settle-call.ts'
import { explainCall, type ExplainDeps } from '../../guests/provenance/explain-call.ts'
import { withdrawCall } from './withdraw-call.ts'

export type CallsDeps = AskedDeps &
  ReadCallDeps &
  CancelDeps &
  SettleDeps &
  ExplainDeps &
  Pick<ApprovalReadDeps, 'tables' | 'judgement'> & {
    readonly catalogue: Pick<LiveCatalogue, 'ranker'>
  }

export interface CallsGate {
  dispatch(request: CallRequest, listeners?: CallListeners): Promise<Outcome>
  read(caller: Caller, call_id: string, wait_ms?: number): Promise<Result<Outcome>>
  /** The call that this caller made under an idempotency key. */
  readByKey(caller: Caller, key: string, wait_ms?: number): Promise<Result<Outcome>>
  /** A call that its caller follows as a task: its current state or, if a signal is given, its state once it has ended. */
  readTask(caller: Caller, call_id: string, waiting?: AbortSignal): Promise<Result<CallTask>>
  listTasks(caller: Caller, page: Omit<Page, 'newest_first'>): Promise<TasksPage>
  cancelTask(caller: Caller, call_id: string): Promise<Result<CallTask>>
  /** Why provenance asked about a call or did not. */
  why(caller: Caller, call_id: string): Promise<Result<WhyAnswer>>
  /** Records the outcome of a call whose outcome is unknown. */
  settle(caller: Caller, call_id: string, as: Settlement, proof?: ShownProof): Promise<Result<Outcome>>
  withdraw(caller: Caller, call_id: string): Promise<Result<ApprovalRow>>
  listUnknown(caller: Caller, page: Page): Promise<Result<UnknownPage>>
}

/** `idle` resolves when no dispatched call is without its outcome, even if nobody waits for it any more. */
export function bindCalls(deps: CallsDeps): { readonly calls: CallsGate; idle(): Promise<void> } {
  /** A count and not a set of them: a set that changes with every call keeps ended calls in memory for longer. */
  let dispatched = 0
  let waiting: (() => void)[] = []
  const ended = () => {
    dispatched -= 1
    if (dispatched > 0) return
    const callbacks = waiting
    waiting = []
    for (const callback of callbacks) callback()
  }
  const dispatch: CallsGate['dispatch'] = (request, listeners) => {
    const outcome = dispatchCall(deps, request, listeners)
    dispatched += 1
    outcome.then(ended, ended)
    return outcome
  }
  const idle = () => (dispatched === 0 ? Promise.resolve() : new Promise<void>((done) => void waiting.push(done)))
  const calls: CallsGate = {
    dispatch: deps.catalogue.ranker.executed === undefined ? dispatch : teaching(dispatch, deps.catalogue.ranker),
    read: (caller, id, wait) => readCall(deps, caller, id, wait),
    readByKey: (caller, key, wait) => readCallByKey(deps, caller, key, wait),
    readTask: (caller, id, waiting) => readTask(deps, caller, id, waiting),
    listTasks: (caller, page) => listTasks(deps, caller, page),
    cancelTask: (caller, id) => cancelTask(deps, caller, id),
    why: (caller, id) => explainCall(deps, caller, id),
    settle: (caller, id, as, proof = {}) => settleCall(deps, caller, id, as, proof),
    withdraw: (caller, id) => withdrawCall(deps, caller, id),
    listUnknown: (caller, page) => listUnknown(deps, caller, page),
  }
  return { calls, idle }
}

/** A call that ran at once may show what its caller's search meant. */
function teaching(dispatch: CallsGate['dispatch'], ranker: LiveCatalogue['ranker']): CallsGate['dispatch'] {
  return async (request, listeners) => {
    const outcome = await dispatch(request, listeners)
    if (outcome.status === 'executed' && request.dry_run !== 'only') ranker.executed?.(request.caller, request.tool)
    return outcome
  }
}
