import { describe, expect, test } from 'vitest'
import { localCounts } from '../../src/stores/local-counts.ts'
import { loginRateLimit, type CredentialWas } from '../../src/doors/entrance/login-rate-limit.ts'

const LIMITS = { per_address: 3, overall: 10, window_s: 60 }

/** One or more nodes that count together. */
function rig(nodes = 1) {
  const time = { now: 1_000_000 }
  const clock = () => time.now
  const counts = localCounts(clock)
  // A waiting request lets the others continue.
  const pause = async (ms: number) => {
    time.now += ms
    await new Promise((resolve) => setImmediate(resolve))
  }
  const gates = Array.from({ length: nodes }, () => loginRateLimit(LIMITS, { counts, clock, pause }))
  const gateAt = (index: number) => {
    const gate = gates[index]
    if (gate === undefined) throw new Error('no such node')
    return gate
  }
  const knock = async (address: string, credential: string, was: CredentialWas, node = 0) => {
    const admission = await gateAt(node).admit(address, credential)
    return 'settle' in admission ? admission.settle(was) : admission.wait_s
  }
  const fail = async (address: string, times: number) => {
    const results: (boolean | number)[] = []
    for (let nth = 0; nth < times; nth += 1) results.push(await knock(address, `wrong ${nth}`, 'wrong'))
    return results
  }
  return { time, knock, fail }
}

describe('wrong credentials', () => {
  test('of one address make it wait until its window ends, and are reported once', async () => {
    const { time, knock, fail } = rig()
    expect(await fail('10.0.0.1', 2)).toEqual([false, false])
    expect(await knock('10.0.0.1', 'k', 'not checked')).toBe(false)
    time.now += 20_000
    expect(await fail('10.0.0.1', 2)).toEqual([true, 40])
    time.now += 39_001
    expect(await knock('10.0.0.1', 'k', 'wrong')).toBe(1)
    time.now += 1_000
    expect(await knock('10.0.0.1', 'k', 'wrong')).toBe(false)
  })

  test('of one address do not make another wait, nor a key that was valid from the same one', async () => {
    const { knock, fail } = rig()
    expect(await knock('10.0.0.1', 'good', 'good')).toBe(false)
    await fail('10.0.0.1', 5)
    expect(await knock('10.0.0.1', 'other', 'good')).toBe(60)
    expect(await knock('10.0.0.1', 'good', 'good')).toBe(false)
    expect(await knock('10.0.0.2', 'other', 'good')).toBe(false)
    expect(await knock('10.0.0.1', 'good', 'wrong')).toBe(false)
    expect(await knock('10.0.0.1', 'good', 'good')).toBe(60)
  })

  test('of many addresses leave each of them one attempt, and do not limit addresses without a failure', async () => {
    const { knock, fail } = rig()
    for (let nth = 0; nth < 10; nth += 1) await fail(`10.0.1.${nth}`, 1)
    expect(await knock('10.0.1.3', 'k', 'good')).toBe(60)
    expect(await knock('10.0.2.1', 'k', 'good')).toBe(false)
    expect(await fail('10.0.2.1', 1)).toEqual([true])
    expect(await knock('10.0.2.1', 'other', 'good')).toBe(60)
  })

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::1', '::2', true],
    ['fe80::1%eth0', 'fe80::2', true],
  ])('of %s count for %s: %s', async (one, other, isSame) => {
    const { knock, fail } = rig()
    await fail(one, 3)
    expect((await knock(other, 'k', 'good')) === 60).toBe(isSame)
  })

  test('of twenty thousand addresses fit in bounded memory, and the latest are remembered', async () => {
    const { knock, fail } = rig()
    for (let nth = 0; nth < 21_000; nth += 1) await fail(`h${nth}`, 1)
    expect(await knock('h20999', 'k', 'good')).toBe(60)
    expect(await knock('h5', 'k', 'good')).toBe(false)
  })

  test('that arrive at once on three nodes are counted like single ones, and valid ones that arrive with them only wait', async () => {
    const { knock } = rig(3)
    const guesses = Array.from({ length: 60 }, (_, nth) => knock('10.0.0.1', `guess ${nth}`, 'wrong', nth % 3))
    const results = await Promise.all(guesses)
    expect(results.filter((one) => one === false)).toHaveLength(2)
    expect(results.filter((one) => one === true)).toHaveLength(1)
    expect(results.filter((one) => typeof one === 'number')).toHaveLength(57)
    const good = Array.from({ length: 30 }, (_, nth) => knock('10.0.0.2', `good ${nth}`, 'good', nth % 3))
    expect(new Set(await Promise.all(good))).toEqual(new Set([false]))
  })
})
