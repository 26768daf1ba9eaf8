import { setImmediate } from 'node:timers/promises'
import type { Breathe } from '../commands/ports/runtime.ts'

/** How long a piece of background work may hold the thread, while calls wait. */
const LONGEST_MS = 2

/** Long work in pieces: whoever calls it between two steps lets calls through as soon as the piece has taken long enough. */
export function openBreathe(longest_ms: number = LONGEST_MS): Breathe {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < longest_ms) return
    await setImmediate()
    since = performance.now()
  }
}
