import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addLeaf, forestRoot, merklePath, merkleRoot, NO_LEAVES, pathSides, rootFromPath } from './merkle.ts'

const digest = (hex: string): string => createHash('sha256').update(hex, 'hex').digest('hex')
const someHashes = fc.array(fc.stringMatching(/^[0-9a-f]{64}$/), { minLength: 1, maxLength: 40 })

/** The definition in RFC 6962: split at the largest power of two below n. */
function rootByDefinition(hashes: readonly string[]): string {
  if (hashes.length === 0) return digest('')
  if (hashes.length === 1) return digest(`00${hashes[0]}`)
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1)
  return digest(`01${rootByDefinition(hashes.slice(0, split))}${rootByDefinition(hashes.slice(split))}`)
}

describe('a Merkle tree', () => {
  // The leaves and roots with which Certificate Transparency's own implementations are tested.
  const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  test.each([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [5, '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    [7, 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])('has the published root for the first %i published leaves', (count, root) => {
    expect(merkleRoot(leaves.slice(0, count), digest)).toBe(root)
  })

  test('has the root that the definition in RFC 6962 gives, for any leaves', () => {
    fc.assert(fc.property(someHashes, (hashes) => merkleRoot(hashes, digest) === rootByDefinition(hashes)))
  })

  test('can be continued from a forest at any point', () => {
    fc.assert(
      fc.property(someHashes, fc.nat(), (hashes, at) => {
        const cut = at % (hashes.length + 1)
        const first = hashes.slice(0, cut).reduce((forest, hash) => addLeaf(forest, hash, digest), NO_LEAVES)
        const kept = structuredClone(first)
        const all = hashes.slice(cut).reduce((forest, hash) => addLeaf(forest, hash, digest), first)
        expect(first).toEqual(kept)
        expect(forestRoot(all, digest)).toBe(rootByDefinition(hashes))
      }),
    )
  })

  test('is reached by the path of every leaf, on the sides that its position implies, and by no other leaf', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{64}$/), { minLength: 2, maxLength: 33 }), (hashes) => {
        const root = rootByDefinition(hashes)
        for (const [index, hash] of hashes.entries()) {
          const path = merklePath(hashes, index, digest)
          expect(rootFromPath(hash, path, digest)).toBe(root)
          expect(path.map(({ side }) => side)).toEqual(pathSides(index, hashes.length))
          expect(rootFromPath(hashes[(index + 1) % hashes.length] ?? '', path, digest)).not.toBe(root)
        }
      }),
      { numRuns: 30 },
    )
  })
})
