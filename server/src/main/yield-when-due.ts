import { setImmediate } from 'node:timers/promises'
import type { YieldWhenDue } from '../kernel/ports/runtime.ts'

/** How long a piece of background work may block the thread, while calls wait. */
const LONGEST_MS = 2

/** For long work in pieces: called between two steps, it yields to calls as soon as the piece has taken long enough. */
export function createYieldWhenDue(longest_ms: number = LONGEST_MS): YieldWhenDue {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < longest_ms) return
    await setImmediate()
    since = performance.now()
  }
}
