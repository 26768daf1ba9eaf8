import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'

export type FailureLimits = {
  /** Wrong credentials of one address in one window. */
  readonly per_address: number
  /** Of all addresses together. Beyond it, one failure is too many for an address; one without any is still heard. */
  readonly overall: number
  readonly window_s: number
}

/** What is known of wrong credentials, by the address they came from. */
export type LoginRateLimit = {
  /** How long this address has to wait before its credential is looked at, in whole seconds; 0 when it need not. */
  wait(address: string, credential: string): number
  /** Counts a wrong credential. True when it was the one too many. */
  failed(address: string, credential: string): boolean
  /** A credential that was good here is looked at also while others from the same address are not. */
  passed(address: string, credential: string): void
}

const MOST_ADDRESSES = 10_000
const MOST_GOOD_ONES = 1_000

type Window = { failures: number; readonly ends: number }

/**
 * Guessing costs time, and others do not pay for it: neither another address nor a key that has been good at this one.
 * INVARIANT: memory is bounded whatever is sent; the oldest is forgotten first.
 */
export function loginRateLimit({ per_address, overall, window_s }: FailureLimits, clock: () => number): LoginRateLimit {
  const windows = new Map<string, Window>()
  const good = new Map<string, true>()
  const all = { failures: 0, ends: 0 }

  const failuresOf = (place: string, now: number): Window | undefined => {
    const window = windows.get(place)
    return window !== undefined && window.ends > now ? window : undefined
  }
  const limitAt = (now: number) => (all.ends > now && all.failures >= overall ? 1 : per_address)

  return {
    wait(address, credential) {
      const now = clock()
      const window = failuresOf(placeOf(address), now)
      if (window === undefined || window.failures < limitAt(now)) return 0
      return good.has(nameOf(address, credential)) ? 0 : Math.ceil((window.ends - now) / 1000)
    },
    failed(address, credential) {
      const now = clock()
      good.delete(nameOf(address, credential))
      if (all.ends <= now) Object.assign(all, { failures: 0, ends: now + window_s * 1000 })
      all.failures += 1
      const place = placeOf(address)
      const window = failuresOf(place, now) ?? { failures: 0, ends: now + window_s * 1000 }
      window.failures += 1
      keep(windows, place, window, MOST_ADDRESSES)
      return window.failures === limitAt(now)
    },
    passed(address, credential) {
      keep(good, nameOf(address, credential), true, MOST_GOOD_ONES)
    },
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

const nameOf = (address: string, credential: string) => `${placeOf(address)} ${hash('sha256', credential, 'hex')}`

/** Whoever has one IPv6 address has the 2^64 beside it too. */
function placeOf(address: string): string {
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
