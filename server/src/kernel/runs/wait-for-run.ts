import type { RunId } from '../contract/ids.ts'
import type { Watch } from '../changes/watch-rows.ts'

export type WaitForRunPorts = {
  readonly watch: Pick<Watch, 'onRow'>
  readonly after: (ms: number, callback: () => void) => () => void
  /** Aborted when the gate accepts no more calls: nobody waits any longer. */
  readonly stopping: AbortSignal
}

const LONGEST_WAIT_MS = 300_000

/** The first view of a run that has parked or ended, or the last one when the time is over. */
export async function waitForRun<View>(
  deps: WaitForRunPorts,
  run_id: RunId,
  wait_ms: number,
  read: () => Promise<View>,
  isAtRest: (view: View) => boolean,
): Promise<View> {
  const first = await read()
  if (wait_ms <= 0 || isAtRest(first) || deps.stopping.aborted) return first
  return new Promise((resolve, reject) => {
    let last = first
    const finish = (view: View) => {
      stopListening()
      cancel()
      deps.stopping.removeEventListener('abort', stop)
      resolve(view)
    }
    const look = async () => {
      last = await read()
      if (isAtRest(last)) finish(last)
    }
    const stopListening = deps.watch.onRow('runs', run_id, () => void look().catch(reject))
    const stop = () => finish(last)
    const cancel = deps.after(Math.min(wait_ms, LONGEST_WAIT_MS), stop)
    deps.stopping.addEventListener('abort', stop)
    // It may have changed between the first read and adding the listener.
    look().catch(reject)
  })
}
