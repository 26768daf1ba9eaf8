import { expect, test } from 'vitest'
import type { Change, Ledger } from '../ports/ledger.ts'
import { correctionTo, keepTime, latestTime } from './latest-time.ts'
import { steadyClock } from './steady-clock.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const START = 1e12

/** A store that several nodes share. */
function storeOfNodes() {
  const units = new Map<string, number>()
  const apply = (change: Change) => {
    if (change.kind === 'open') units.set(change.account, change.units)
    if (change.kind === 'spend') units.set(change.account, (units.get(change.account) ?? 0) - change.units)
  }
  let commits = 0
  const ledger: Ledger = {
    commit: (changes) => {
      commits += 1
      changes.forEach(apply)
      return Promise.resolve('committed')
    },
  }
  const streams = ['a', 'b']
  const deps = {
    ledger,
    accounts: { left: (account: string) => Promise.resolve(units.get(account)) },
    audit: { heads: () => Promise.resolve(streams.map((stream) => ({ stream, seq: 1, hash: 'h' as never }))) },
  }
  return { deps, commits: () => commits, correct: async (at: number) => ledger.commit(await correctionTo(deps, at)) }
}

async function nodeOn({ deps }: ReturnType<typeof storeOfNodes>, stream: string, offset = 0) {
  const at = { wall: START + offset, monotonic: 0 }
  const steady = steadyClock({ wall: () => at.wall, monotonic: () => at.monotonic })
  const seen = await latestTime(deps)
  steady.see(seen.at)
  let hasStored = false
  const keeper = keepTime({ ...deps, stream, steady, isAlone: false }, seen, () => hasStored)
  return {
    steady,
    keeper,
    stores: () => void (hasStored = true),
    async pass(ms: number) {
      at.wall += ms
      at.monotonic += ms
      steady.now()
      await keeper.tick()
    },
    set: (by: number) => void (at.wall += by),
  }
}

test('a jump ahead is stored at once, and another node follows it within seconds', async () => {
  const store = storeOfNodes()
  const [one, other] = [await nodeOn(store, 'a'), await nodeOn(store, 'b')]
  one.set(30 * HOUR)
  await one.pass(1_000)
  expect((await latestTime(store.deps)).at).toBe(START + 30 * HOUR + 1_000)
  await other.pass(6_000)
  expect(other.steady.now()).toBeGreaterThan(START + 30 * HOUR)
  one.set(-30 * HOUR)
  const restarted = await nodeOn(store, 'a')
  expect(restarted.steady.now()).toBeGreaterThan(START + 30 * HOUR)
})

test('a small difference between the clocks of two nodes disappears', async () => {
  const store = storeOfNodes()
  const [one, other] = [await nodeOn(store, 'a', 2_000), await nodeOn(store, 'b')]
  await one.keeper.close()
  for (let second = 0; second < 40; second += 1) await other.pass(1_000)
  expect(other.steady.now()).toBe(START + 40_000)
  expect(other.steady.ahead()).toBe(0)
})

test('the time is stored every minute in which the gate stores something, otherwise every ten minutes', async () => {
  const store = storeOfNodes()
  const one = await nodeOn(store, 'a')
  await one.pass(1_000)
  const before = store.commits()
  for (let minute = 0; minute < 30; minute += 1) await one.pass(MINUTE)
  expect(store.commits() - before).toBe(3)
  one.stores()
  for (let minute = 0; minute < 10; minute += 1) await one.pass(MINUTE)
  expect(store.commits() - before).toBe(13)
})

test('a correction counts for every node, also for those that run', async () => {
  const store = storeOfNodes()
  const [one, other] = [await nodeOn(store, 'a'), await nodeOn(store, 'b')]
  one.set(30 * HOUR)
  await one.pass(1_000)
  await other.pass(6_000)
  one.set(-30 * HOUR)
  await store.correct(START + 7_000)
  await one.pass(6_000)
  await other.pass(6_000)
  await one.keeper.close()
  await other.keeper.close()
  expect((await latestTime(store.deps)).at).toBeLessThan(START + MINUTE)
  expect(one.steady.now()).toBeLessThan(START + MINUTE)
})
