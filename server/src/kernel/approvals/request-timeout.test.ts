import { expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'
import { requestTimeout } from './request-timeout.ts'

const DAY = 86_400_000

function lifeWith(approvals: object) {
  const config = readConfig({ approvals })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  return config.value.approvals
}

test('a request waits a day, or the shorter of the times set for its class and its strength', () => {
  expect(requestTimeout(lifeWith({}), { strength: 'strong' }, 'high')).toBe(DAY)
  expect(requestTimeout(lifeWith({ expires_s: 60 }), {}, 'low')).toBe(60_000)
  const set = lifeWith({ expires_s: 60, expires_s_for: { critical: 30, two_person: 20, high: 120, simple: 90 } })
  expect(requestTimeout(set, { strength: 'two_person' }, 'critical')).toBe(20_000)
  expect(requestTimeout(set, { strength: 'strong' }, 'critical')).toBe(30_000)
  // A specific setting replaces the general time, even if it is longer.
  expect(requestTimeout(set, { strength: 'strong' }, 'high')).toBe(120_000)
  expect(requestTimeout(set, {}, 'medium')).toBe(90_000)
  expect(requestTimeout(set, { strength: 'strong' }, 'medium')).toBe(60_000)
})

test('an unknown class is rejected', () => {
  expect(readConfig({ approvals: { expires_s_for: { enormous: 5 } } })).toMatchObject({ ok: false })
  expect(readConfig({ approvals: { expires_s_for: { high: 0 } } })).toMatchObject({ ok: false })
})
