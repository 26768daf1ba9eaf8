/** This many at once, and this many per second afterwards. */
const BURST = 100
const PER_SECOND = 20

/**
 * Wraps a listener so that it is called at a limited rate. What exceeds it is dropped, not stored, so that a flood costs nothing.
 */
export function rateLimited<T>(listener: ((said: T) => void) | undefined, now = () => performance.now()) {
  let left = BURST
  let since = now()
  return (said: T): void => {
    if (listener === undefined) return
    const at = now()
    left = Math.min(BURST, left + ((at - since) / 1_000) * PER_SECOND)
    since = at
    if (left < 1) return
    left -= 1
    listener(said)
  }
}
