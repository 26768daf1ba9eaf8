/** The known word that a mistyped one most likely meant, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase().slice(0, 64), candidate) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  if (best === undefined || best.distance >= word.length) return undefined
  return best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined
}

/** Insertions, deletions, replacements and swaps of neighbors count as one each. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) row.push(cheapest(a, b, i, j, { row, last, before }))
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

type Rows = { readonly row: readonly number[]; readonly last: readonly number[]; readonly before: readonly number[] }

function cheapest(a: string, b: string, i: number, j: number, { row, last, before }: Rows): number {
  const at = (cells: readonly number[], column: number) => cells[column] ?? Number.POSITIVE_INFINITY
  const same = a[i - 1] === b[j - 1] ? 0 : 1
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
  return Math.min(
    at(last, j) + 1,
    at(row, j - 1) + 1,
    at(last, j - 1) + same,
    swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
  )
}
