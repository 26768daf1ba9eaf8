import type { CancelSignal } from '../../kernel/ports/cancel.ts'
import { Bug } from '../../kernel/contract/problems.ts'

/** Why no slot was given. */
export type NoSlot = 'full' | 'late' | 'aborted'

export type Slots = {
  /** A slot if one is free now. Nobody waits while one is: a released slot is passed on immediately. */
  takeFree(): boolean
  /** A slot, as soon as one is free and nobody waits longer; or why not. */
  take(wait_ms: number, signal?: CancelSignal): Promise<'taken' | NoSlot>
  /** To be called exactly once for every slot that was taken. */
  release(): void
  active(): number
  queued(): number
}

type Waiting = { readonly give: (outcome: 'taken' | NoSlot) => void }

/**
 * A limited number at once and a limited queue, first come first served. With a full queue, requests are rejected immediately.
 */
export function openSlots(places: number, queue_limit: number): Slots {
  let active = 0
  const queue = new Set<Waiting>()

  function wait(wait_ms: number, signal: CancelSignal | undefined): Promise<'taken' | NoSlot> {
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

  function takeFree(): boolean {
    if (active >= places) return false
    active += 1
    return true
  }

  return {
    takeFree,
    async take(wait_ms, signal) {
      if (signal?.aborted === true) return 'aborted'
      if (takeFree()) return 'taken'
      return queue.size >= queue_limit ? 'full' : wait(wait_ms, signal)
    },
    release() {
      if (active === 0) throw new Bug('a slot was released twice')
      for (const next of queue) return next.give('taken')
      active -= 1
    },
    active: () => active,
    queued: () => queue.size,
  }
}
