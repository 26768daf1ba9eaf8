import type { RunId } from '../../contract/ids.ts'
import type { Json } from '../../contract/json.ts'

/** What performers show before their end: told to whoever watches the run on this node, kept nowhere. */
export interface ShownNews {
  show(run_id: RunId, key: string, news: Json): void
  /** Returns how to stop. */
  onShown(run_id: RunId, listener: (key: string, news: Json) => void): () => void
}

export function createShownNews(): ShownNews {
  const listeners = new Map<RunId, Set<(key: string, news: Json) => void>>()
  return {
    show(run_id, key, news) {
      for (const listener of listeners.get(run_id) ?? []) listener(key, news)
    },
    onShown(run_id, listener) {
      const all = listeners.get(run_id) ?? new Set()
      listeners.set(run_id, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(run_id)
      }
    },
  }
}
