/** So many at once, and so many a second afterwards. */
const BURST = 100
const PER_SECOND = 20

/**
 * The same listener, told at most so often: whoever floods it is heard as often as a person could look. What is too much is
 * dropped, not kept, so that a flood costs nothing.
 */
export function rationed<T>(listener: ((said: T) => void) | undefined, now = () => performance.now()) {
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
