import { isIPv6 } from 'node:net'
import type { Counts } from '../../kernel/ports/counts.ts'

export type FailureLimits = {
  /** Wrong credentials from one address in one window. */
  readonly per_address: number
  /** Wrong credentials from all addresses together. Beyond it, an address with one failure is rejected; one without failures is still accepted. */
  readonly overall: number
  readonly window_s: number
}

/** What a wrong credential is answered with. `isLast`: it reached the limit, which is reported once. */
export type FailedLogin = { readonly wait_s: number; readonly isLast: boolean }

export type LoginRateLimit = {
  /** Counts a wrong credential. A valid one is never counted or limited, so nobody can lock out somebody else. */
  failed(address: string): Promise<FailedLogin>
}

const MOST_WAITING = 10_000

type Runtime = { readonly counts: Counts; readonly clock: () => number }

/**
 * Slows down the use of wrong credentials. They are counted only after they were looked up: keys have 256 random bits and the
 * signatures of tokens cannot be guessed, so nothing is gained by checking one, and a valid one works from an address with many failures.
 * INVARIANT: memory is bounded whatever is sent; the oldest entries are dropped first.
 */
export function loginRateLimit(limits: FailureLimits, { counts, clock }: Runtime): LoginRateLimit {
  const { per_address, overall, window_s } = limits
  const window_ms = window_s * 1000
  /** Addresses that have to wait, and until when. Failures are never undone, so this needs no refresh. */
  const waiting = new Map<string, number>()

  return {
    async failed(address) {
      const network = networkOf(address)
      const left = (waiting.get(network) ?? 0) - clock()
      if (left > 0) return { wait_s: Math.ceil(left / 1000), isLast: false }
      const [here, all] = await counts.add(
        [
          { name: `failures ${network}`, by: 1 },
          { name: 'failures', by: 1 },
        ],
        window_ms,
      )
      const { count, left_ms } = here ?? { count: 1, left_ms: window_ms }
      const limit = (all?.count ?? 0) > overall ? 1 : per_address
      if (count <= limit) return { wait_s: 0, isLast: count === limit }
      keep(waiting, network, clock() + left_ms, MOST_WAITING)
      return { wait_s: Math.max(1, Math.ceil(left_ms / 1000)), isLast: false }
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
