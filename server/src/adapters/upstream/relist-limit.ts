/** This many listings at once, then one per interval, and at most this share of the time. */
export type RelistTuning = { readonly burst: number; readonly every_ms: number; readonly share: number }

/**
 * When a server is listed again. One that constantly announces changes is listed only occasionally: each listing is read, hashed
 * and recorded, and calls should not wait for it.
 */
export function relistLimit({ burst, every_ms, share }: RelistTuning) {
  let left = burst
  let since = 0
  let busyUntil = 0
  return {
    /** Milliseconds until the next listing may start. It counts as started. */
    wait(now: number): number {
      left = Math.min(burst, left + (now - since) / every_ms)
      since = now
      left -= 1
      return left >= 0 ? 0 : Math.max(-left * every_ms, busyUntil - now)
    },
    /** A listing has just ended and took this long. */
    took(ms: number, now: number = performance.now()): void {
      busyUntil = now + ms * (1 / share - 1)
    },
  }
}
