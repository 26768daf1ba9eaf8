import type { CallRow } from '../contract/call.ts'
import type { Tables } from '../ports/reads.ts'
import type { Watch } from '../changes/watch-rows.ts'

export type WaitDeps = {
  readonly tables: Tables
  readonly watch: Watch
  /** When the gate stops, waiting callers get what is known. */
  readonly stopping: AbortSignal
  readonly after: (ms: number, callback: () => void) => () => void
}

/** How long to wait: a time, or until the signal is aborted. */
export type Patience = { readonly wait_ms: number } | { readonly signal: AbortSignal }

/** The call's row once it has ended, or its current state when the wait is over. */
export function waitForCall(
  deps: WaitDeps,
  first: CallRow,
  patience: Patience,
  isOver: (row: CallRow) => boolean,
): Promise<CallRow> {
  const { call_id } = first
  const ends = 'signal' in patience ? [deps.stopping, patience.signal] : [deps.stopping]
  if (isOver(first) || ends.some(({ aborted }) => aborted)) return Promise.resolve(first)
  return new Promise((resolve, reject) => {
    let last = first
    const finish = (row: CallRow) => {
      stopListening()
      cancel?.()
      for (const end of ends) end.removeEventListener('abort', stop)
      resolve(row)
    }
    const look = async () => {
      last = (await deps.tables.row('calls', call_id))?.row ?? last
      if (isOver(last)) finish(last)
    }
    const stopListening = deps.watch.onRow('calls', call_id, () => void look().catch(reject))
    const stop = () => finish(last)
    const cancel = 'wait_ms' in patience ? deps.after(patience.wait_ms, stop) : undefined
    for (const end of ends) end.addEventListener('abort', stop)
    // It may have ended between the caller's read and adding the listener.
    look().catch(reject)
  })
}
