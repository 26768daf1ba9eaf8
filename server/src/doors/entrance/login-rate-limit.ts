import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Counts } from '../../commands/ports/counts.ts'

export type FailureLimits = {
  /** Wrong credentials from one address in one window. */
  readonly per_address: number
  /** Wrong credentials from all addresses together. Beyond it, an address with one failure is rejected; one without failures is still accepted. */
  readonly overall: number
  readonly window_s: number
}

export type CredentialWas = 'good' | 'wrong' | 'not checked'

/** Whether a credential may be checked now. */
export type Admission =
  | { readonly wait_s: number }
  /** Reports the result of the check; true if this failure reached the limit. */
  | { readonly wait_s: 0; settle(was: CredentialWas): Promise<boolean> }

export type LoginRateLimit = { admit(address: string, credential: string): Promise<Admission> }

const MOST_GOOD = 20_000
const MOST_WAITING = 10_000
const POLL_MS = 20
const LONGEST_WAIT_MS = 5_000

type Runtime = {
  readonly counts: Counts
  readonly clock: () => number
  readonly pause: (ms: number) => Promise<unknown>
}

/**
 * Slows down guessing without affecting other addresses, or keys that were already valid at this address.
 * A credential that this node does not know as valid needs a slot before it is checked. An address has as many slots, over all nodes, as
 * it has failures left, so parallel guesses get no further than sequential ones. If all slots are taken, the request waits.
 * INVARIANT: memory is bounded whatever is sent; the oldest entries are dropped first.
 */
export function loginRateLimit(limits: FailureLimits, { counts, clock, pause }: Runtime): LoginRateLimit {
  const { per_address, overall, window_s } = limits
  const window_ms = window_s * 1000
  const good = new Map<string, true>()
  /** Addresses that have to wait, and until when. Failures are never undone, so this needs no refresh. */
  const waiting = new Map<string, number>()

  const settleGood = (network: string, name: string) => async (was: CredentialWas) => {
    if (was !== 'wrong') return false
    good.delete(name)
    return fail(network, 0)
  }
  /** In one addition, so that a slot is not freed before its failure is counted. */
  async function fail(network: string, slots: 0 | 1): Promise<boolean> {
    const [here, all] = await counts.add(
      [
        { name: `failures ${network}`, by: 1 },
        { name: 'failures', by: 1 },
        { name: `looked at ${network}`, by: -slots },
      ],
      window_ms,
    )
    return here?.count === limitOf(all?.count ?? 0)
  }
  const limitOf = (all: number) => (all >= overall ? 1 : per_address)

  const take = async (network: string) => {
    const [here, taken, all] = await counts.add(
      [
        { name: `failures ${network}`, by: 0 },
        { name: `looked at ${network}`, by: 1 },
        { name: 'failures', by: 0 },
      ],
      window_ms,
    )
    return {
      failures: here?.count ?? 0,
      left_ms: here?.left_ms ?? 0,
      taken: taken?.count ?? 1,
      limit: limitOf(all?.count ?? 0),
    }
  }
  const giveBack = (network: string) => counts.add([{ name: `looked at ${network}`, by: -1 }], window_ms)

  const admitNew = async (network: string, name: string): Promise<Admission> => {
    const until = clock() + LONGEST_WAIT_MS
    for (;;) {
      const { failures, left_ms, taken, limit } = await take(network)
      // Without failures so far a slot is free, even if one failure would reach the limit.
      if (failures + taken <= Math.max(limit, 1) && failures < limit)
        return {
          wait_s: 0,
          async settle(was) {
            if (was === 'wrong') return fail(network, 1)
            await giveBack(network)
            if (was === 'good') keep(good, name, true, MOST_GOOD)
            return false
          },
        }
      await giveBack(network)
      if (failures >= limit) {
        keep(waiting, network, clock() + left_ms, MOST_WAITING)
        return { wait_s: Math.max(1, Math.ceil(left_ms / 1000)) }
      }
      if (clock() >= until) return { wait_s: 1 }
      await pause(POLL_MS)
    }
  }

  return {
    async admit(address, credential) {
      const network = networkOf(address)
      const name = `${network} ${hash('sha256', credential, 'hex')}`
      if (good.has(name)) return { wait_s: 0, settle: settleGood(network, name) }
      const left = (waiting.get(network) ?? 0) - clock()
      return left > 0 ? { wait_s: Math.ceil(left / 1000) } : admitNew(network, name)
    },
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** A client with one IPv6 address usually has its whole /64 network, so the network counts as one address. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [bare = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined || !isIPv6(bare)) return mapped ?? bare
  const [head = '', tail = ''] = bare.toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === '' ? [] : tail.split(':')
  const zeros = bare.includes('::') ? Array.from({ length: 8 - front.length - back.length }, () => '0') : []
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
