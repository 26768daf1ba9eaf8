/** Wakes the one loop that waits on it. A ring while nobody waits is remembered. */
export type Bell = {
  ring(): void
  isRung(): boolean
  /** Clears a ring: the caller is about to check. */
  clear(): void
  /** Resolves at the next ring, or after `ms`; immediately if it has already rung. */
  wait(ms: number | undefined, after: (ms: number, callback: () => void) => () => void): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wakeUp: (() => void) | undefined
  return {
    ring() {
      rung = true
      wakeUp?.()
    },
    isRung: () => rung,
    clear() {
      rung = false
    },
    async wait(ms, after) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const cancel = ms === undefined ? () => {} : after(ms, resolve)
          wakeUp = () => {
            cancel()
            resolve()
          }
        })
        wakeUp = undefined
      }
    },
  }
}
