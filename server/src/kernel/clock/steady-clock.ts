import type { Clock } from '../ports/runtime.ts'

/** `wall`: the machine's clock, which somebody can set. `monotonic`: one that nobody can. */
export type Clocks = { readonly wall: Clock; readonly monotonic: Clock }

export type SteadyClock = {
  readonly now: Clock
  /** A time that was seen: by an earlier process or by another node. */
  see(at: number): void
  /** The operator says that the latest time seen was wrong. */
  correct(at: number): void
  /** By how much the machine's clock is behind. */
  ahead(): number
  /** Whether the machine's clock jumped ahead since this was last asked. */
  hasJumped(): boolean
}

/** Behind the latest time seen, the clock runs a little slower than time, until the machine's clock has caught up. */
const SLOWER = 0.9
const JUMP_MS = 60_000

/**
 * The time by which everything is recorded and expires.
 * INVARIANT: it never goes back, whatever happens to the machine's clock: what has expired stays expired (law in steady-clock.test.ts). Only
 * the operator can correct it.
 */
export function steadyClock({ wall, monotonic }: Clocks): SteadyClock {
  let latest = wall()
  let since = monotonic()
  let jumped = false
  const moveTo = (at: number, elapsed: number) => {
    latest = at
    since = elapsed
    return at
  }
  return {
    now() {
      const [here, elapsed] = [wall(), monotonic()]
      const passed = elapsed - since
      if (here >= latest) {
        if (here - latest - passed > JUMP_MS) jumped = true
        return moveTo(here, elapsed)
      }
      // Whole milliseconds, because times are stored as such.
      const steps = Math.floor(passed * SLOWER)
      return steps < 1 ? latest : moveTo(Math.max(here, latest + steps), elapsed)
    },
    see(at) {
      if (at > latest) moveTo(at, monotonic())
    },
    correct(at) {
      moveTo(at, monotonic())
    },
    ahead: () => Math.max(0, latest - wall()),
    hasJumped() {
      const was = jumped
      jumped = false
      return was
    },
  }
}
