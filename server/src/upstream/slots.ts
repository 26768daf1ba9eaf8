/** Why no slot was given. */
export type NoSlot = 'full' | 'late' | 'aborted'
export type Release = () => void

export type Slots = {
  /** A slot, as soon as one is free and nobody waits longer; or why not. Every slot must be released, once. */
  take(wait_ms: number, signal?: AbortSignal): Promise<Release | NoSlot>
  active(): number
  queued(): number
}

type Waiting = { readonly give: (outcome: Release | NoSlot) => void }

/**
 * A limited number at once and a limited queue, first come first served. With a full queue, requests are rejected immediately.
 */
export function openSlots(places: number, queue_limit: number): Slots {
  let active = 0
  const queue = new Set<Waiting>()

  function release(): void {
    active -= 1
    for (const next of queue) {
      next.give(occupy())
      return
    }
  }

  function occupy(): Release {
    active += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      release()
    }
  }

  function wait(wait_ms: number, signal: AbortSignal | undefined): Promise<Release | NoSlot> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        give(outcome) {
          queue.delete(waiting)
          clearTimeout(timer)
          signal?.removeEventListener('abort', aborted)
          resolve(outcome)
        },
      }
      const timer = setTimeout(() => waiting.give('late'), wait_ms)
      const aborted = () => waiting.give('aborted')
      signal?.addEventListener('abort', aborted)
      queue.add(waiting)
    })
  }

  return {
    async take(wait_ms, signal) {
      if (signal?.aborted === true) return 'aborted'
      // Nobody waits while a slot is free: a released one is passed on immediately.
      if (active < places) return occupy()
      return queue.size >= queue_limit ? 'full' : wait(wait_ms, signal)
    },
    active: () => active,
    queued: () => queue.size,
  }
}
