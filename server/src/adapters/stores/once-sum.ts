/** How many changes a writer made to the single-use keys, and the sum of the secret numbers of those it stored. */
export type OnceSum = { readonly n: number; readonly sum: bigint }

export const NO_KEYS: OnceSum = { n: 0, sum: 0n }

const BITS = 128

export const addTerms = (sum: bigint, terms: Iterable<bigint>): bigint => {
  let total = sum
  for (const term of terms) total += term
  return BigInt.asUintN(BITS, total)
}

/** After one key was inserted. */
export const withKey = ({ n, sum }: OnceSum, term: bigint): OnceSum => ({ n: n + 1, sum: addTerms(sum, [term]) })

/** After these were purged. */
export const withoutKeys = ({ n, sum }: OnceSum, terms: readonly bigint[]): OnceSum => ({
  n: n + 1,
  sum: addTerms(
    sum,
    terms.map((term) => -term),
  ),
})

/** What is stored differs from what the writers stored. */
export const KEYS_CHANGED =
  'single-use keys in the database were deleted or changed, so a request that was carried out could be repeated'

/** The writer of keys that were copied from another store. */
export const COPIED_KEYS = 'copied'
