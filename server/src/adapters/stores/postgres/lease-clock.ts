/** Two clocks: one that nobody can set, and one that also counts while the machine is suspended. */
export type LeaseClocks = { readonly monotonic: () => number; readonly wall: () => number }
const CLOCKS: LeaseClocks = { monotonic: () => performance.now(), wall: () => Date.now() }

type Moment = { readonly monotonic: number; readonly wall: number }

/** In case the database's clock runs faster than ours. */
const SHARE = 0.9
/** Two renewals further apart than this share of a lease are a break: others may have had no chance to renew theirs. */
const STEADY_SHARE = 0.5

/**
 * Whether a lease is certainly still valid, without asking the database.
 * INVARIANT: the lease ends here before it ends there. It is counted from before it was requested, and by the clock that moved
 * further: a stopped process is seen by both, a suspended machine by the wall clock, a wall clock that was set back by the other
 * one.
 */
export function leaseClock(lease_ms: number, clocks: LeaseClocks = CLOCKS) {
  let from: Moment | undefined
  /** Since when it was renewed without a break. By the clock that stops while the machine is suspended. */
  let since = 0
  const now = (): Moment => ({ monotonic: clocks.monotonic(), wall: clocks.wall() })
  const isWithin = (share: number): boolean => {
    if (from === undefined) return false
    const { monotonic, wall } = now()
    return Math.max(monotonic - from.monotonic, wall - from.wall) < lease_ms * share
  }
  return {
    /** Immediately before the lease is requested. */
    ask: now,
    /** It was granted for a request made at that time. `isNew`: it had expired in the database, or there was none. */
    granted(asked: Moment, isNew: boolean): void {
      if (isNew || !isWithin(STEADY_SHARE)) since = clocks.monotonic()
      from = asked
    },
    isRunning: (): boolean => isWithin(SHARE),
    /** Whether it was renewed for a whole period without a break, so that all others had time to renew theirs. */
    isSteady: (): boolean => isWithin(STEADY_SHARE) && clocks.monotonic() - since >= lease_ms,
  }
}
