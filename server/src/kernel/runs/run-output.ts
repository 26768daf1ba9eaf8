import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import type { OwnedRun } from './may-see-run.ts'

/** A run with intermediate output, and whose it is. */
export type ShownRun = OwnedRun & { readonly run_id: RunId }

/** Intermediate output of performers: passed to current listeners on this node, stored nowhere. */
export interface RunOutput {
  show(run: ShownRun, key: string, news: Json): void
  /** Returns a function that stops it. */
  onShown(run_id: RunId, listener: (key: string, news: Json) => void): () => void
  /** The same, for every run. */
  onAny(listener: (run: ShownRun, key: string, news: Json) => void): () => void
}

export function createRunOutput(): RunOutput {
  const listeners = new Map<RunId, Set<(key: string, news: Json) => void>>()
  const everywhere = new Set<(run: ShownRun, key: string, news: Json) => void>()
  return {
    show(run, key, news) {
      for (const listener of listeners.get(run.run_id) ?? []) unharmed(() => listener(key, news))
      for (const listener of everywhere) unharmed(() => listener(run, key, news))
    },
    onShown(run_id, listener) {
      const all = listeners.get(run_id) ?? new Set()
      listeners.set(run_id, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(run_id)
      }
    },
    onAny(listener) {
      everywhere.add(listener)
      return () => void everywhere.delete(listener)
    },
  }
}

/** A listener that throws must not fault the run. */
function unharmed(notify: () => void): void {
  try {
    notify()
  } catch {
    // That listener misses it.
  }
}
