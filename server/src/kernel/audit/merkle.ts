/**
 * Merkle trees as in RFC 6962 (section 2.1), over entry hashes. `DigestBytes` hashes the bytes given as lower-case hex, and
 * returns the same format: core has neither buffers nor digests.
 */
export type DigestBytes = (hex: string) => string

export type Sibling = { readonly side: 'left' | 'right'; readonly hash: string }

// INVARIANT: a leaf and a node never hash the same bytes, so that no node can be passed off as an entry.
const leafHash = (hash: string, digest: DigestBytes): string => digest(`00${hash}`)
const nodeHash = (left: string, right: string, digest: DigestBytes): string => digest(`01${left}${right}`)

/** The state needed to add more leaves: the roots of the perfect subtrees, largest first. */
export type Forest = { readonly size: number; readonly peaks: readonly string[] }
export const NO_LEAVES: Forest = { size: 0, peaks: [] }

/** The forest with one more leaf on its right. */
export const addLeaf = (forest: Forest, hash: string, digest: DigestBytes): Forest => addLeaves(forest, [hash], digest)

/** The same with several leaves, in their order. */
export function addLeaves(forest: Forest, hashes: readonly string[], digest: DigestBytes): Forest {
  const peaks = [...forest.peaks]
  let { size } = forest
  for (const hash of hashes) {
    let grown = leafHash(hash, digest)
    // Each trailing one bit in the size is a perfect tree of the same size as `grown`: the two merge.
    for (let left = size; left % 2 === 1; left = (left - 1) / 2) grown = nodeHash(peaks.pop() ?? '', grown, digest)
    peaks.push(grown)
    size += 1
  }
  return { size, peaks }
}

/** The root of all leaves so far; for none, the digest of nothing. */
export function forestRoot(forest: Forest, digest: DigestBytes): string {
  if (forest.size === 0) return digest('')
  return forest.peaks.reduceRight((right, left) => nodeHash(left, right, digest))
}

export function merkleRoot(hashes: readonly string[], digest: DigestBytes): string {
  return forestRoot(addLeaves(NO_LEAVES, hashes, digest), digest)
}

/** The sides of a leaf's siblings, from the leaf up. A level without a sibling passes its node up unchanged. */
export function pathSides(index: number, size: number): ('left' | 'right')[] {
  const sides: ('left' | 'right')[] = []
  for (let at = index, width = size; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
    if (at % 2 === 1) sides.push('left')
    else if (at + 1 < width) sides.push('right')
  }
  return sides
}

/** The siblings on the path from one leaf to the root. */
export function merklePath(hashes: readonly string[], index: number, digest: DigestBytes): Sibling[] {
  const path: Sibling[] = []
  let level = hashes.map((hash) => leafHash(hash, digest))
  for (let at = index; level.length > 1; at = Math.floor(at / 2)) {
    const sibling = level[at % 2 === 1 ? at - 1 : at + 1]
    if (sibling !== undefined) path.push({ side: at % 2 === 1 ? 'left' : 'right', hash: sibling })
    level = levelAbove(level, digest)
  }
  return path
}

function levelAbove(level: readonly string[], digest: DigestBytes): string[] {
  const above: string[] = []
  for (let at = 0; at < level.length; at += 2) {
    const [left = '', right] = level.slice(at, at + 2)
    above.push(right === undefined ? left : nodeHash(left, right, digest))
  }
  return above
}

/** The root computed from a leaf and its siblings. */
export function rootFromPath(hash: string, path: readonly Sibling[], digest: DigestBytes): string {
  return path.reduce(
    (below, sibling) =>
      sibling.side === 'left' ? nodeHash(sibling.hash, below, digest) : nodeHash(below, sibling.hash, digest),
    leafHash(hash, digest),
  )
}
