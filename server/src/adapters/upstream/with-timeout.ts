import type { CancelSignal } from '../../kernel/ports/cancel.ts'

/** The value, or undefined if the time is over or the caller gives up first. `value` never rejects. */
export async function withTimeout<T>(
  value: Promise<T>,
  wait_ms: number,
  signal?: CancelSignal,
): Promise<T | undefined> {
  if (signal?.aborted === true) return undefined
  return new Promise((resolve) => {
    const settle = (outcome: T | undefined) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(outcome)
    }
    const giveUp = () => settle(undefined)
    const timer = setTimeout(giveUp, Math.max(0, wait_ms))
    signal?.addEventListener('abort', giveUp)
    void value.then((outcome) => settle(outcome))
  })
}
