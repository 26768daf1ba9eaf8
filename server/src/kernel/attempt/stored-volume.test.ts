import { expect, test } from 'vitest'
import type { Change, Committed, Ledger } from '../ports/ledger.ts'
import { storedVolume } from './stored-volume.ts'

const ANA = { id: 'agent:a', user: 'ana' }
const BEN = { id: 'agent:a', user: 'ben' }
const HOUR = 3_600_000
const MEGABYTE = 'x'.repeat(1_048_576)
const MOST = 3 * 1_048_576

function storeOf() {
  const units = new Map<string, number>()
  const audited: Change[] = []
  const state = { now: 10 * HOUR, answers: true }
  const apply = (changes: readonly Change[]): Committed => {
    if (changes.some((one) => one.kind === 'open' && units.has(one.account))) return { lost: 0 }
    for (const one of changes) {
      if (one.kind === 'open') units.set(one.account, one.units)
      if (one.kind === 'spend') units.set(one.account, (units.get(one.account) ?? 0) - one.units)
      if (one.kind === 'audit') audited.push(one)
    }
    return 'committed'
  }
  const ledger: Ledger = { commit: (changes) => Promise.resolve(apply(changes)) }
  const left = (account: string) =>
    state.answers ? Promise.resolve(units.get(account)) : Promise.reject(new Error('gone'))
  const deps = { ledger, accounts: { left }, clock: () => state.now, ids: { trace: () => 'trace' } }
  return { node: (most = MOST) => storedVolume(deps, most), state, audited }
}

/** Lets the commits in the background end. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a caller over the limit is refused until the next hour, and others are not', async () => {
  const { node, state, audited } = storeOf()
  const volume = node()
  expect(await volume.over(ANA)).toBeUndefined()
  for (let at = 0; at < 3; at += 1) volume.add(ANA, MEGABYTE)
  const over = { code: 'call.too_much_stored', about: { limit_bytes: String(MOST), retry_after_s: '3600' } }
  expect(await volume.over(ANA)).toEqual(over)
  expect(await volume.over(ANA)).toEqual(over)
  expect(audited).toHaveLength(1)
  expect(await volume.over(BEN)).toBeUndefined()
  state.now += HOUR
  expect(await volume.over(ANA)).toBeUndefined()
})

test('it is kept across a restart, and shared by nodes', async () => {
  const { node } = storeOf()
  const [one, other] = [node(), node()]
  await one.over(ANA)
  await other.over(ANA)
  for (const volume of [one, other, one]) {
    volume.add(ANA, MEGABYTE)
    await settled()
  }
  expect(await one.over(ANA)).toMatchObject({ code: 'call.too_much_stored' })
  expect(await node().over(ANA)).toMatchObject({ code: 'call.too_much_stored' })
})

test('two nodes that add at once lose nothing', async () => {
  const { node } = storeOf()
  const nodes = [node(), node()]
  for (const volume of nodes) await volume.over(ANA)
  for (const volume of nodes) volume.add(ANA, MEGABYTE)
  await settled()
  for (const volume of nodes) volume.add(ANA, 'y')
  await settled()
  const after = node(2 * 1_048_576)
  expect(await after.over(ANA)).toMatchObject({ code: 'call.too_much_stored' })
})

test('if the store does not answer, nobody is let through', async () => {
  const { node, state } = storeOf()
  state.answers = false
  expect(await node().over(ANA)).toMatchObject({ code: 'audit.unavailable' })
})
