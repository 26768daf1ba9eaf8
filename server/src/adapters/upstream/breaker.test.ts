import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admit, after, backOff, closedBreaker, isPassable, type Breaker, type Passage } from './breaker.ts'

const TUNING = { threshold: 3, base_ms: 100, cap_ms: 1_000 }
const ended = (passage: Passage, trial = false) => ({ passage, trial })

/** The breaker after this many failures in a row at `now`. */
const failing = (times: number, now = 0): Breaker =>
  Array.from({ length: times }).reduce<Breaker>(
    (breaker) => after(TUNING, breaker, ended('failed'), now),
    closedBreaker,
  )

describe('the breaker', () => {
  test('opens at the threshold and not before', () => {
    expect(failing(2).is).toBe('closed')
    expect(failing(3)).toEqual({ is: 'open', until: 100, openings: 1 })
  })

  test('a success between failures starts the count again', () => {
    const interrupted = after(TUNING, failing(2), ended('ok'), 0)
    expect(after(TUNING, interrupted, ended('failed'), 0)).toEqual({ is: 'closed', failures: 1 })
  })

  test('a call whose caller gave up does not count', () =>
    expect(after(TUNING, failing(2), ended('neither'), 0)).toEqual(failing(2)))

  test('lets no call through before its time, and one trial after it', () => {
    const open = failing(3)
    expect([isPassable(open, 99), admit(open, 99)]).toEqual([false, undefined])
    expect(admit(open, 100)).toEqual({ breaker: { is: 'half_open', openings: 1 }, trial: true })
    expect(admit({ is: 'half_open', openings: 1 }, 10_000)).toBeUndefined()
  })

  test('a failed trial opens it for twice as long, up to the cap', () => {
    const again = (openings: number) => after(TUNING, { is: 'half_open', openings }, ended('failed', true), 0)
    expect(again(1)).toEqual({ is: 'open', until: 200, openings: 2 })
    expect(again(9)).toEqual({ is: 'open', until: 1_000, openings: 10 })
    expect(backOff(TUNING, 1_000_000)).toBe(1_000)
  })

  test('after a trial without a result the next call is the trial', () => {
    const open = after(TUNING, { is: 'half_open', openings: 2 }, ended('neither', true), 50)
    expect(admit(open, 50)?.trial).toBe(true)
  })

  test('a failure from before it opened does not end the trial', () => {
    const half: Breaker = { is: 'half_open', openings: 1 }
    expect(after(TUNING, half, ended('failed'), 0)).toEqual(half)
  })

  test('law: at most one trial is in progress, and any success closes it', () => {
    const step = fc.record({
      what: fc.constantFrom('call', 'ok', 'failed', 'neither'),
      wait: fc.nat(300),
      pick: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let breaker: Breaker = closedBreaker
        let now = 0
        const in_progress: boolean[] = []
        for (const { what, wait, pick } of steps) {
          now += wait
          if (what === 'call') {
            const admitted = admit(breaker, now)
            expect(admitted !== undefined).toBe(isPassable(breaker, now))
            if (admitted === undefined) continue
            breaker = admitted.breaker
            in_progress.push(admitted.trial)
          } else if (in_progress.length > 0) {
            const [trial = false] = in_progress.splice(pick % in_progress.length, 1)
            breaker = after(TUNING, breaker, ended(what, trial), now)
            if (what === 'ok') expect(breaker).toEqual(closedBreaker)
          }
          expect(breaker.is === 'half_open' ? in_progress.filter(Boolean).length : 0).toBeLessThanOrEqual(1)
          if (breaker.is === 'half_open') expect(in_progress).toContain(true)
        }
      }),
    )
  })
})
