import { expect, test } from 'vitest'
import { problem, type Problem } from '../contract/problems.ts'
import { createIntake } from './intake.ts'

const [first, second] = [problem('audit.unavailable', { call: '1' }), problem('audit.unavailable', { call: '2' })]
const stopping = problem('gate.stopping')

test('stays closed until every reason is removed, in any order', () => {
  const intake = createIntake()
  const [openFirst, openSecond] = [intake.close(first), intake.close(second)]
  openFirst()
  openFirst()
  expect(intake.closedBy()).toEqual(second)
  openSecond()
  expect(intake.closedBy()).toBeUndefined()
})

test('a gate that stops is stopping, whatever is recorded in the meantime', () => {
  const intake = createIntake()
  const open = intake.close(first)
  intake.close(stopping)
  expect(intake.closedBy()).toEqual(stopping)
  open()
  expect(intake.closedBy()).toEqual(stopping)
})

test('the same problem twice is two reasons, and a permanent reason is checked each time', () => {
  let standing: Problem | undefined = problem('audit.in_doubt')
  const intake = createIntake(() => standing)
  const opens = [intake.close(first), intake.close(first)]
  opens[0]?.()
  expect(intake.closedBy()).toEqual(first)
  opens[1]?.()
  expect(intake.closedBy()).toEqual(standing)
  standing = undefined
  expect(intake.closedBy()).toBeUndefined()
})
