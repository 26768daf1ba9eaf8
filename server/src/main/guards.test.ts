import { expect, test } from 'vitest'
import { checkGuards, guardFindings } from './guards.ts'
import { GUARDS, GUESTS } from './guests.ts'

const withoutShell = GUESTS.filter(({ name }) => name !== 'shell')

test('the guards are the guests that say so', () => {
  const guards = GUESTS.filter(({ guard }) => guard === true).map(({ name }) => name)
  expect(GUARDS).toEqual(expect.arrayContaining(guards))
  expect(GUESTS.filter(({ name, guard }) => GUARDS.includes(name) && guard !== true)).toEqual([])
})

test('a gate does not start without a guard, unless its configuration names it', () => {
  const refused = checkGuards(withoutShell, ['risk'])
  expect(refused).toMatchObject({ ok: false, problem: { code: 'config.invalid' } })
  expect(JSON.stringify(refused)).toContain('write `guards: { without: [shell] }`')
  expect(checkGuards(withoutShell, ['shell']).ok).toBe(true)
})

test('a name that is not a guard is a mistake', () => {
  expect(checkGuards(GUESTS, ['flows'])).toMatchObject({ ok: false, problem: { code: 'config.invalid' } })
})

test('doctor names each guard that is missing', () => {
  expect(guardFindings(withoutShell)).toMatchObject([{ severity: 'warning', about: 'guards' }])
  expect(guardFindings(GUESTS.filter(({ guard }) => guard !== true))).toHaveLength(GUARDS.length)
})
