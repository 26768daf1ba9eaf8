import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import type { RunEffect, RunEvent } from '../contract/run.ts'
import type { Perform } from './performer.ts'

/** An effect whose performer has answered, or failed unexpectedly. */
export type FinishedEffect = { readonly effect: RunEffect } & (
  { readonly event: RunEvent } | { readonly threw: unknown }
)

/**
 * The effects of one run that this process has started and whose results are not committed yet.
 * INVARIANT: a key is here from before its performer is called until its result is committed or given up, so a mark of this boot
 * that is not here was never started.
 */
export type RunningEffects = {
  readonly size: number
  has(key: string): boolean
  /**
   * `isCancelled`: the run no longer needs it. Its performer is called all the same: only it can tell what an earlier process did.
   */
  start(effect: RunEffect, perform: Perform, isCancelled?: boolean): void
  /** In the order in which they finished. */
  finished(): readonly FinishedEffect[]
  remove(key: string): void
  cancel(key: string): void
  /** None of them is needed any more. */
  cancelAll(): void
  /** Postponed effects are not started again. */
  stop(): void
}

export type RunningEffectsPorts = {
  readonly run_id: RunId
  readonly after: (ms: number, callback: () => void) => () => void
  readonly onFinished: () => void
  readonly emit: (key: string, news: Json) => void
}

const AGAIN_MS = 500

export function createRunningEffects({ run_id, after, onFinished, emit }: RunningEffectsPorts): RunningEffects {
  const running = new Map<string, AbortController>()
  let finished: FinishedEffect[] = []
  let stopped = false

  function finish(one: FinishedEffect, abort: AbortController): void {
    if (running.get(one.effect.key) !== abort) return
    finished.push(one)
    onFinished()
  }

  async function run(effect: RunEffect, perform: Perform, abort: AbortController): Promise<void> {
    const { signal } = abort
    try {
      const event = await perform(effect, { run_id, signal, emit: (news) => emit(effect.key, news) })
      if (event !== 'later') return finish({ effect, event }, abort)
    } catch (error) {
      return finish(signal.aborted ? { effect, event: { type: 'effect.cancelled' } } : { effect, threw: error }, abort)
    }
    if (signal.aborted) return finish({ effect, event: { type: 'effect.cancelled' } }, abort)
    if (!stopped) after(AGAIN_MS, () => void again(effect, perform, abort))
    else running.delete(effect.key)
    if (stopped) onFinished()
  }

  async function again(effect: RunEffect, perform: Perform, abort: AbortController): Promise<void> {
    if (running.get(effect.key) !== abort) return
    if (!stopped) return run(effect, perform, abort)
    running.delete(effect.key)
    onFinished()
  }

  return {
    get size() {
      return running.size
    },
    has: (key) => running.has(key),
    start(effect, perform, isCancelled = false) {
      const abort = new AbortController()
      if (isCancelled) abort.abort()
      running.set(effect.key, abort)
      void run(effect, perform, abort)
    },
    finished: () => finished,
    remove(key) {
      running.delete(key)
      finished = finished.filter(({ effect }) => effect.key !== key)
    },
    cancel: (key) => running.get(key)?.abort(),
    cancelAll() {
      const former = [...running.values()]
      running.clear()
      finished = []
      for (const abort of former) abort.abort()
    },
    stop() {
      stopped = true
    },
  }
}
