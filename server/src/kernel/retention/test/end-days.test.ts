import { expect, test } from 'vitest'
import type { RunRow } from '../../contract/run.ts'
import { call, callId, runId } from '../../../adapters/stores/ledger-fixtures.suite.ts'
import type { Change } from '../../ports/ledger.ts'
import { endDays } from '../end-days.ts'

const DAY = 86_400_000

const RUN: RunRow = {
  v: 2,
  run_id: runId(1),
  kind: 'test',
  status: 'active',
  state: {},
  cursor: 0,
  executing: [],
  timers: {},
  created_at: 1,
}

async function stored(change: Change): Promise<unknown> {
  const first = endDays(() => 7 * DAY + 5).stamp?.(change)
  return first?.kind === 'swap' && 'ended_day' in first.to ? first.to.ended_day : undefined
}
const callSwap = (to: Parameters<typeof call>[1]): Change => ({
  kind: 'swap',
  table: 'calls',
  id: callId(1),
  from: 1,
  to: call(callId(1), to),
})

test('a call that ends is stored with the day it ended, and keeps that day', async () => {
  expect(await stored(callSwap({ state: 'executed' }))).toBe('7')
  expect(await stored(callSwap({ state: 'refused' }))).toBe('7')
  expect(await stored(callSwap({ state: 'failed', ended_day: '3' }))).toBe('3')
})

test('an open call has no such day', async () => {
  for (const state of ['pending', 'executing', 'unknown'] as const)
    expect(await stored(callSwap({ state, ended_day: '3' }))).toBeUndefined()
  expect(await stored(callSwap({ state: 'executed', due: 'verify' }))).toBeUndefined()
})

test('a call whose texts have expired is not stamped again', async () => {
  expect(await stored(callSwap({ state: 'executed', expired_at: 1 }))).toBeUndefined()
})

test('a run that ends is stored with the day it ended', async () => {
  const runSwap = (status: 'active' | 'done'): Change => ({
    kind: 'swap',
    table: 'runs',
    id: runId(1),
    from: 1,
    to: { ...RUN, status },
  })
  expect(await stored(runSwap('done'))).toBe('7')
  expect(await stored(runSwap('active'))).toBeUndefined()
})
