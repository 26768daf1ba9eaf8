/** The thresholds of a breaker. Times in milliseconds, on the caller's clock. */
export type BreakerTuning = { readonly threshold: number; readonly base_ms: number; readonly cap_ms: number }

/** `openings` counts how often it opened since the last success; each time it stays open twice as long. */
export type Breaker =
  | { readonly is: 'closed'; readonly failures: number }
  | { readonly is: 'open'; readonly until: number; readonly openings: number }
  | { readonly is: 'half_open'; readonly openings: number }

export const closedBreaker: Breaker = { is: 'closed', failures: 0 }

/**
 * The result of a call, as far as the connection to the server is concerned. `neither`: the caller gave up, so it does not count.
 */
export type Passage = 'ok' | 'failed' | 'neither'

/** Whether a call would be let through now; changes nothing. */
export function isPassable(breaker: Breaker, now: number): boolean {
  return breaker.is === 'closed' || (breaker.is === 'open' && now >= breaker.until)
}

/** A call in progress. The trial is the one that decides whether a half-open breaker closes. */
export type Admission = { readonly breaker: Breaker; readonly trial: boolean }

/**
 * Lets a call through, or not.
 * INVARIANT: while half open exactly one call, the trial, is let through until it has ended (law in breaker.test.ts).
 */
export function admit(breaker: Breaker, now: number): Admission | undefined {
  if (breaker.is === 'closed') return { breaker, trial: false }
  if (breaker.is === 'half_open' || now < breaker.until) return undefined
  return { breaker: { is: 'half_open', openings: breaker.openings }, trial: true }
}

/** The breaker after a call that was let through has ended. */
export function after(
  tuning: BreakerTuning,
  breaker: Breaker,
  { passage, trial }: { readonly passage: Passage; readonly trial: boolean },
  now: number,
): Breaker {
  // Any answer is proof enough, even to a call from before it opened.
  if (passage === 'ok') return closedBreaker
  if (breaker.is === 'half_open' && trial)
    // Without a result the next call may be the trial immediately.
    return passage === 'failed'
      ? opened(tuning, breaker.openings + 1, now)
      : { is: 'open', until: now, openings: breaker.openings }
  if (breaker.is !== 'closed' || passage === 'neither') return breaker
  const failures = breaker.failures + 1
  return failures < tuning.threshold ? { is: 'closed', failures } : opened(tuning, 1, now)
}

function opened(tuning: BreakerTuning, openings: number, now: number): Breaker {
  return { is: 'open', until: now + backOff(tuning, openings), openings }
}

/** 1 × base, 2 ×, 4 ×, … up to the cap. */
export function backOff({ base_ms, cap_ms }: Pick<BreakerTuning, 'base_ms' | 'cap_ms'>, times: number): number {
  return Math.min(cap_ms, base_ms * 2 ** Math.min(times - 1, 30))
}
