import { expect, test } from 'vitest'
import { announceCommits, watchRows } from '../../src/kernel/changes/watch-rows.ts'
import { newCall } from '../../src/adapters/stores/ledger-fixtures.suite.ts'
import { localMembers } from '../../src/adapters/stores/local-notices.ts'

function twoNodes() {
  const hub = localMembers()
  const missed: (() => void)[] = []
  const [here, there] = [hub.join(), hub.join()]
  const watch = watchRows({ ...there, onMissed: (listener) => (missed.push(listener), () => {}) })
  const { commit } = announceCommits(
    { commit: async (changes) => (changes.length > 9 ? 'unavailable' : 'committed') },
    { notices: here, kinds: new Map(), tableEntries: [] },
  )
  return { watch, commit, miss: () => missed.forEach((notify) => notify()) }
}

test('a listener for a row is notified when another node changed it, and not about other rows or failed commits', async () => {
  const { watch, commit } = twoNodes()
  const received: string[] = []
  const stop = watch.onRow('calls', 'call_1', () => void received.push('first'))
  watch.onRow('calls', 'call_1', () => void received.push('second'))
  watch.onRow('runs', 'call_1', () => void received.push('another table'))
  watch.onRow('calls', 'call_11', () => void received.push('another row'))
  await commit([newCall('call_1')])
  await commit(Array.from({ length: 10 }, () => newCall('call_11')))
  expect(received).toEqual(['first', 'second'])
  stop()
  stop()
  await commit([newCall('call_1')])
  expect(received).toEqual(['first', 'second', 'second'])
})

test('if notices were missed every listener checks again, and a listener may stop during that', () => {
  const { watch, miss } = twoNodes()
  const received: string[] = []
  const stop = watch.onRow('calls', 'call_1', () => {
    received.push('call')
    stop()
  })
  watch.onRow('runs', 'run_1', () => void received.push('run'))
  miss()
  miss()
  expect(received).toEqual(['call', 'run', 'run'])
})

test('the cost of a commit does not depend on listeners for other rows', async () => {
  const { watch, commit } = twoNodes()
  let calls = 0
  for (let at = 0; at < 10_000; at += 1) watch.onRow('calls', `call_${at}`, () => void (calls += 1))
  await commit([newCall('call_77')])
  expect(calls).toBe(1)
})
