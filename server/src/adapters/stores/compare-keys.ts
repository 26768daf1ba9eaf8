import { addTerms, type OnceSum } from './once-sum.ts'
import { isSameMac, type RowMacs } from './row-mac.ts'

/** A stored single-use key, and a stored sum of keys. */
export type StoredKey = { readonly key: string; readonly until: number; readonly mac: Uint8Array | null }
export type StoredSumRow = {
  readonly stream: string
  readonly n: number
  readonly masked: Uint8Array
  readonly mac: Uint8Array
}

export type KeyTotals = {
  key(stored: StoredKey): void
  sum(stored: StoredSumRow): void
  /** The genuine sums by stream. */
  sums(): ReadonlyMap<string, OnceSum>
  /** The sum over the genuine keys. */
  keys(): bigint
  /** Whether the keys are those that the writers stored. */
  isWhole(): boolean
}

/** Adds up stored keys and stored sums, to compare them. `onForged`: a key that no gate with this key stored. */
export function keyTotals(macs: RowMacs, onForged: (key: string) => void): KeyTotals {
  const sums = new Map<string, OnceSum>()
  let keys = 0n
  let isGenuine = true
  return {
    key(stored) {
      const { mac, term } = macs.once(stored.key, stored.until)
      if (isSameMac(stored.mac, mac)) keys = addTerms(keys, [term])
      else onForged(stored.key)
    },
    sum({ stream, n, masked, mac }) {
      const sum = macs.openSum(stream, n, { masked, mac })
      if (sum === undefined) isGenuine = false
      else sums.set(stream, { n, sum })
    },
    sums: () => sums,
    keys: () => keys,
    isWhole() {
      const total = addTerms(
        0n,
        [...sums.values()].map(({ sum }) => sum),
      )
      return isGenuine && total === keys
    },
  }
}
