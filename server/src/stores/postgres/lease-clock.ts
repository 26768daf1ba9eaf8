/** Two clocks: one that nobody can set, and one that also counts while the machine is suspended. */
export type Clocks = { readonly monotonic: () => number; readonly wall: () => number }
const CLOCKS: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() }

type Moment = { readonly monotonic: number; readonly wall: number }

/** For clocks that run faster in the database than here. */
const SHARE = 0.9

/**
 * Whether a lease surely still runs, without asking the database.
 * INVARIANT: the lease ends here before it ends there. It is counted from before it was asked for, and by the clock that moved further:
 * a stopped process is seen by both, a suspended machine by the wall clock, a wall clock that was set back by the other one.
 */
export function leaseClock(lease_ms: number, clocks: Clocks = CLOCKS) {
  let from: Moment | undefined
  const now = (): Moment => ({ monotonic: clocks.monotonic(), wall: clocks.wall() })
  return {
    /** Immediately before the lease is asked for. */
    ask: now,
    /** It was granted to whoever asked at that moment. */
    granted(asked: Moment): void {
      from = asked
    },
    isRunning(): boolean {
      if (from === undefined) return false
      const { monotonic, wall } = now()
      return Math.max(monotonic - from.monotonic, wall - from.wall) < lease_ms * SHARE
    },
  }
}
