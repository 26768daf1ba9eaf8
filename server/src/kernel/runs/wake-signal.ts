/** Wakes the one loop that waits for it. If it is set while nobody waits, the next wait returns immediately. */
export type WakeSignal = {
  set(): void
  isSet(): boolean
  /** The caller is about to check what there is to do. */
  clear(): void
  /** Resolves when the signal is set, or after `ms`. */
  wait(ms: number | undefined, after: (ms: number, callback: () => void) => () => void): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let signalled = false
  let wakeUp: (() => void) | undefined
  return {
    set() {
      signalled = true
      wakeUp?.()
    },
    isSet: () => signalled,
    clear() {
      signalled = false
    },
    async wait(ms, after) {
      if (!signalled) {
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
