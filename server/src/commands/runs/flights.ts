import type { RunId } from '../../contract/ids.ts'
import type { Json } from '../../contract/json.ts'
import type { RunEffect, RunEvent } from '../../contract/run.ts'
import type { Perform } from './performer.ts'

/** An effect whose performer has answered, or failed unexpectedly. */
export type Landed = { readonly effect: RunEffect } & ({ readonly event: RunEvent } | { readonly threw: unknown })

/**
 * The effects of one run that this process has started and whose results are not committed yet.
 * INVARIANT: a key is here from before its performer is called until its result is committed or given up, so a mark of this boot
 * that is not here was never started.
 */
export type Flights = {
  readonly size: number
  has(key: string): boolean
  start(effect: RunEffect, perform: Perform): void
  /** In the order in which they finished. */
  landed(): readonly Landed[]
  remove(key: string): void
  cancel(key: string): void
  /** None of them is needed any more. */
  cancelAll(): void
  /** Postponed effects are not started again. */
  stop(): void
}

export type FlightDeps = {
  readonly run_id: RunId
  readonly after: (ms: number, callback: () => void) => () => void
  readonly onLanded: () => void
  readonly emit: (key: string, news: Json) => void
}

const AGAIN_MS = 500

export function createFlights({ run_id, after, onLanded, emit }: FlightDeps): Flights {
  const flying = new Map<string, AbortController>()
  let landed: Landed[] = []
  let stopped = false

  function land(one: Landed, abort: AbortController): void {
    if (flying.get(one.effect.key) !== abort) return
    landed.push(one)
    onLanded()
  }

  async function fly(effect: RunEffect, perform: Perform, abort: AbortController): Promise<void> {
    const { signal } = abort
    try {
      const event = await perform(effect, { run_id, signal, emit: (news) => emit(effect.key, news) })
      if (event !== 'later') return land({ effect, event }, abort)
    } catch (error) {
      return land(signal.aborted ? { effect, event: { type: 'effect.cancelled' } } : { effect, threw: error }, abort)
    }
    if (signal.aborted) return land({ effect, event: { type: 'effect.cancelled' } }, abort)
    if (!stopped) after(AGAIN_MS, () => void again(effect, perform, abort))
    else flying.delete(effect.key)
    if (stopped) onLanded()
  }

  async function again(effect: RunEffect, perform: Perform, abort: AbortController): Promise<void> {
    if (flying.get(effect.key) !== abort) return
    if (!stopped) return fly(effect, perform, abort)
    flying.delete(effect.key)
    onLanded()
  }

  return {
    get size() {
      return flying.size
    },
    has: (key) => flying.has(key),
    start(effect, perform) {
      const abort = new AbortController()
      flying.set(effect.key, abort)
      void fly(effect, perform, abort)
    },
    landed: () => landed,
    remove(key) {
      flying.delete(key)
      landed = landed.filter(({ effect }) => effect.key !== key)
    },
    cancel: (key) => flying.get(key)?.abort(),
    cancelAll() {
      const former = [...flying.values()]
      flying.clear()
      landed = []
      for (const abort of former) abort.abort()
    },
    stop() {
      stopped = true
    },
  }
}
