import { describe, expect, test } from 'vitest'
import { localCounts } from '../../stores/sqlite/embedded-engine.ts'
import { loginRateLimit } from '../login-rate-limit.ts'

const LIMITS = { per_address: 3, overall: 10, window_s: 60 }
const LAST = 'the last one'

/** One or more nodes that count together. */
function rig(nodes = 1) {
  const time = { now: 1_000_000 }
  const clock = () => time.now
  const counts = localCounts(clock)
  const gates = Array.from({ length: nodes }, () => loginRateLimit(LIMITS, { counts, clock }))
  const failOnce = async (address: string, node = 0) => {
    const { wait_s, isLast } = (await gates[node]?.failed(address)) ?? { wait_s: -1, isLast: false }
    return isLast ? LAST : wait_s
  }
  const fail = async (address: string, times: number) => {
    const results: (string | number)[] = []
    for (let nth = 0; nth < times; nth += 1) results.push(await failOnce(address))
    return results
  }
  return { time, failOnce, fail }
}

describe('wrong credentials', () => {
  test('of one address make it wait until its window ends, and are reported once', async () => {
    const { time, fail } = rig()
    expect(await fail('10.0.0.1', 2)).toEqual([0, 0])
    time.now += 20_000
    expect(await fail('10.0.0.1', 3)).toEqual([LAST, 40, 40])
    time.now += 39_001
    expect(await fail('10.0.0.1', 1)).toEqual([1])
    time.now += 1_000
    expect(await fail('10.0.0.1', 4)).toEqual([0, 0, LAST, 60])
  })

  test('of one address do not make another wait', async () => {
    const { fail } = rig()
    expect(await fail('10.0.0.1', 5)).toEqual([0, 0, LAST, 60, 60])
    expect(await fail('10.0.0.2', 1)).toEqual([0])
  })

  test('of many addresses leave each of them one attempt', async () => {
    const { fail } = rig()
    for (let nth = 0; nth < 10; nth += 1) await fail(`10.0.1.${nth}`, 1)
    expect(await fail('10.0.1.3', 1)).toEqual([60])
    expect(await fail('10.0.2.1', 2)).toEqual([LAST, 60])
  })

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::1', '::2', true],
    ['fe80::1%eth0', 'fe80::2', true],
  ])('of %s count for %s: %s', async (one, other, isSame) => {
    const { failOnce, fail } = rig()
    await fail(one, 3)
    expect((await failOnce(other)) === 60).toBe(isSame)
  })

  test('of twenty thousand addresses fit in bounded memory, and the latest are remembered', async () => {
    const { fail } = rig()
    for (let nth = 0; nth < 21_000; nth += 1) await fail(`h${nth}`, 1)
    expect(await fail('h20999', 1)).toEqual([60])
    expect(await fail('h5', 1)).toEqual([LAST])
  })

  test('that arrive at once on three nodes are counted like single ones', async () => {
    const { failOnce } = rig(3)
    const results = await Promise.all(Array.from({ length: 60 }, (_, nth) => failOnce('10.0.0.1', nth % 3)))
    expect(results.filter((one) => one === 0)).toHaveLength(2)
    expect(results.filter((one) => one === LAST)).toHaveLength(1)
    expect(results.filter((one) => one === 60)).toHaveLength(57)
  })
})
