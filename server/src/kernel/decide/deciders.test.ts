import { expect, test } from 'vitest'
import { DECIDERS } from '../../../test/judging.ts'
import type { Decider } from './decider.ts'
import { KERNEL_DECIDERS } from './deciders.ts'

/** People and programs read the evidence in this order. Guests' deciders stand between them, by their ranks. */
const ORDER = [
  'integrity',
  'credential',
  'pause',
  'definition',
  'names',
  'policy',
  'run',
  'retry',
  'budget',
  'repetition',
]
const KERNEL = KERNEL_DECIDERS.map(({ name }) => name)
const names = DECIDERS.map(({ name }) => name)
const having = (is: (decider: Decider) => boolean) => DECIDERS.filter(is).map(({ name }) => name)
const ofKernel = (all: readonly string[]) => all.filter((name) => KERNEL.includes(name))

test('the evidence has one order', () => {
  expect(ofKernel(names)).toEqual(ORDER)
  const ranks = DECIDERS.map(({ rank }) => rank)
  expect(ranks, 'no two deciders have the same rank').toEqual([...new Set(ranks)].toSorted((one, other) => one - other))
})

test('some deciders are enforced in observe mode too', () => {
  expect(ofKernel(having((one) => one.enforced_in_observe === true))).toEqual([
    'integrity',
    'credential',
    'pause',
    'retry',
  ])
})

test('some deciders judge reads of resources and prompts, and arguments that the gate filled in', () => {
  expect(ofKernel(having((one) => one.judges_reads === true))).toEqual(['credential', 'pause', 'policy'])
  expect(ofKernel(having((one) => one.judgeFilled !== undefined))).toEqual([])
})
