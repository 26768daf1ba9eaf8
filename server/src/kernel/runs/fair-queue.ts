/** Something that waits for a slot. */
export type Queued<Key> = { readonly key: Key; readonly kind: string; readonly owner: string }

/**
 * At most `limitOf(kind)` of a kind at once, and owners take turns within a kind, so that nobody waits behind all the work of
 * somebody else.
 */
export type FairQueue<Key> = {
  has(key: Key): boolean
  add(queued: Queued<Key>): void
  /** The next one that has a slot. It keeps the slot until `release`. */
  next(): Queued<Key> | undefined
  release(queued: Queued<Key>): void
}

type Lane<Key> = { taken: number; readonly owners: Map<string, Queued<Key>[]> }

export function createFairQueue<Key>(limitOf: (kind: string) => number): FairQueue<Key> {
  const lanes = new Map<string, Lane<Key>>()
  const waiting = new Set<Key>()

  function laneOf(kind: string): Lane<Key> {
    const lane = lanes.get(kind) ?? { taken: 0, owners: new Map<string, Queued<Key>[]>() }
    lanes.set(kind, lane)
    return lane
  }

  return {
    has: (key) => waiting.has(key),
    add(queued) {
      const { owners } = laneOf(queued.kind)
      const line = owners.get(queued.owner) ?? []
      line.push(queued)
      owners.set(queued.owner, line)
      waiting.add(queued.key)
    },
    next() {
      for (const [kind, lane] of lanes) {
        const [owner, line] = lane.owners.entries().next().value ?? []
        if (owner === undefined || line === undefined || lane.taken >= limitOf(kind)) continue
        const queued = line.shift()
        // Owner and kind move to the end of their queues.
        lane.owners.delete(owner)
        if (line.length > 0) lane.owners.set(owner, line)
        lanes.delete(kind)
        lanes.set(kind, lane)
        if (queued === undefined) continue
        lane.taken += 1
        waiting.delete(queued.key)
        return queued
      }
      return undefined
    },
    release({ kind }) {
      laneOf(kind).taken -= 1
    },
  }
}
