import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { Dispatch } from '../ports/observers.ts'
import { dispatchCall, type AskedDeps } from './asked.ts'

export type DispatchingDeps = AskedDeps & { readonly catalogue: Pick<LiveCatalogue, 'ranker'> }

/** `idle` resolves when no dispatched call is without its outcome, even if nobody waits for it any more. */
export function openDispatching(deps: DispatchingDeps): { readonly dispatch: Dispatch; idle(): Promise<void> } {
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
  const dispatch: Dispatch = (request, listeners) => {
    const outcome = dispatchCall(deps, request, listeners)
    dispatched += 1
    outcome.then(ended, ended)
    return outcome
  }
  const idle = () => (dispatched === 0 ? Promise.resolve() : new Promise<void>((done) => void waiting.push(done)))
  const { ranker } = deps.catalogue
  return { dispatch: ranker.executed === undefined ? dispatch : teaching(dispatch, ranker), idle }
}

/** A call that ran at once may show what its caller's search meant. */
function teaching(dispatch: Dispatch, ranker: LiveCatalogue['ranker']): Dispatch {
  return async (request, listeners) => {
    const outcome = await dispatch(request, listeners)
    if (outcome.status === 'executed' && request.dry_run !== 'only') ranker.executed?.(request.caller, request.tool)
    return outcome
  }
}
