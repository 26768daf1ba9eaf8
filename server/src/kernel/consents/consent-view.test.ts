import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { consentView } from './consent-view.ts'
import { matchConsent } from './match-consent.ts'
import { callWith, factOf, row, tool } from './samples.suite.ts'

test('law: only an active consent matches; any other is shown as exhausted, expired or revoked', () => {
  const cases = fc.record({
    now: fc.integer({ min: 0, max: 3000 }),
    calls: fc.integer({ min: 0, max: 2 }),
    cost: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    revoked_at: fc.option(fc.constant(1), { nil: undefined }),
  })
  fc.assert(
    fc.property(cases, ({ now, calls, cost, revoked_at }) => {
      const limited = cost === undefined ? {} : { cost: 2 }
      const changed = { ...row, ...limited, ...(revoked_at === undefined ? {} : { revoked_at }) }
      const left = cost === undefined ? { calls } : { calls, cost }
      const { state } = consentView(changed, left, now)
      const matches = matchConsent(factOf(changed, { left }), callWith({ to: 'bob' }), { now, tool })
      expect(state === 'active').toBe(matches)
      if (revoked_at !== undefined) expect(state).toBe('revoked')
      else if (now >= row.expires_at) expect(state).toBe('expired')
    }),
  )
})

test('shows what is left and not where the gate stores it', () => {
  expect(consentView(row, { calls: 2 }, 1)).toMatchObject({ calls: 3, calls_left: 2, state: 'active' })
  expect(consentView(row, { calls: 2 }, 1)).not.toHaveProperty('shelf')
  expect(consentView({ ...row, cost: 9 }, { calls: 2, cost: 0 }, 1)).toMatchObject({ cost_left: 0, state: 'exhausted' })
})
