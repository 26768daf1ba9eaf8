import { expect, test } from 'vitest'
import { DECIDERS } from '../../../test/judging.ts'
import type { Decider } from './decider.ts'

/** People and programs read the evidence in this order. A build without a guest lacks that guest's deciders. */
const ORDER = [
  'integrity',
  'credential',
  'pause',
  'trap',
  'definition',
  'names',
  'policy',
  'sandbox',
  'shell',
  'content',
  'content',
  'health',
  'provenance',
  'run',
  'retry',
  'capabilities',
  'budget',
  'repetition',
]
const names = DECIDERS.map(({ name }) => name)
const present = (all: readonly string[]) => all.filter((name) => names.includes(name))
const having = (is: (decider: Decider) => boolean) => DECIDERS.filter(is).map(({ name }) => name)

test('the evidence has one order', () => expect(names).toEqual(present(ORDER)))

test('some deciders are enforced in observe mode too', () => {
  expect(having((one) => one.enforced_in_observe === true)).toEqual(
    present(['integrity', 'credential', 'pause', 'trap', 'retry']),
  )
})

test('some deciders judge reads of resources and prompts, and arguments that the gate filled in', () => {
  expect(having((one) => one.judges_reads === true)).toEqual(
    present(['credential', 'pause', 'trap', 'policy', 'sandbox', 'content', 'content']),
  )
  expect(having((one) => one.judgeFilled !== undefined)).toEqual(present(['trap', 'sandbox', 'content']))
})
