import { expect, test } from 'vitest'
import { newSchedules, schedules } from './schedules.ts'

test('after a restore every schedule gets a new time, not before now, and nothing fires', () => {
  const { state } = newSchedules({ document: 'd', version: 2, gateways: ['daily', 'hourly'], since: 10 })
  const fired = schedules.step(state, { type: 'timer', name: 'daily', now: 20 })
  const restored = schedules.step(fired.state, { type: 'schedules.restored', now: 1_000 })
  expect(restored.effects).toMatchObject([
    { kind: 'workflow_schedule', with: { gateway: 'daily', due: 1_000 } },
    { kind: 'workflow_schedule', with: { gateway: 'hourly', due: 1_000 } },
  ])
  const keys = [...fired.effects, ...restored.effects].map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})
