/** For each leaf: its first word, its record, its output and its flags. */
export type LeafTable = {
  readonly count: number
  start(leaf: number): number
  end(leaf: number): number
  flags(leaf: number): number
  record(leaf: number): number
  origin(leaf: number): number
  /** The first leaf of the origin that this leaf belongs to. */
  firstOf(origin: number, leaf: number): number
  /** The leaf that contains the word at a position. */
  at(place: number): number
  /** Leaves that contain exactly this value, latest first; at most `MOST_LOOKS` are checked. */
  exact(key: number, each: (leaf: number) => boolean): void
  recordFlags(record: number): number
}

const NONE = 0xffffffff
const MOST_LOOKS = 2_000

/** A growing table: numbers in typed arrays, about twenty bytes per leaf. `end` returns the end of the last leaf. */
export function createLeafTable(end: () => number): LeafTable & {
  newRecord(): number
  add(start: number, record: number, origin: number, flags: number, key: number): number
} {
  let starts = new Uint32Array(256)
  let records = new Uint32Array(256)
  let originsOf = new Uint32Array(256)
  let flagsOf = new Uint8Array(256)
  let keys = new Uint32Array(256)
  let earlier = new Uint32Array(256)
  let table = new Uint32Array(512).fill(NONE)
  let recordFlags = new Uint8Array(64)
  let count = 0
  let recordCount = 0

  const grown = <T extends Uint32Array | Uint8Array>(from: T, make: (size: number) => T): T => {
    const to = make(Math.ceil(from.length * 1.5))
    to.set(from)
    return to
  }
  const slotOf = (key: number): number => (Math.imul(key, 0x9e3779b1) >>> 7) & (table.length - 1)
  function rehash(): void {
    table = new Uint32Array(table.length * 2).fill(NONE)
    for (let leaf = 0; leaf < count; leaf += 1) {
      const slot = slotOf(keys[leaf] ?? 0)
      earlier[leaf] = table[slot] ?? NONE
      table[slot] = leaf
    }
  }
  return {
    get count() {
      return count
    },
    newRecord(): number {
      if (recordCount >= recordFlags.length) recordFlags = grown(recordFlags, (size) => new Uint8Array(size))
      recordCount += 1
      return recordCount - 1
    },
    add(start: number, record: number, origin: number, flags: number, key: number): number {
      if (count >= starts.length) {
        starts = grown(starts, (size) => new Uint32Array(size))
        records = grown(records, (size) => new Uint32Array(size))
        originsOf = grown(originsOf, (size) => new Uint32Array(size))
        flagsOf = grown(flagsOf, (size) => new Uint8Array(size))
        keys = grown(keys, (size) => new Uint32Array(size))
        earlier = grown(earlier, (size) => new Uint32Array(size))
      }
      starts[count] = start
      records[count] = record
      originsOf[count] = origin
      flagsOf[count] = flags
      keys[count] = key
      recordFlags[record] = (recordFlags[record] ?? 0) | flags
      const slot = slotOf(key)
      earlier[count] = table[slot] ?? NONE
      table[slot] = count
      count += 1
      if (count > table.length * 2) rehash()
      return count - 1
    },
    start: (leaf: number) => starts[leaf] ?? 0,
    end: (leaf: number) => (leaf + 1 < count ? (starts[leaf + 1] ?? 0) : end()),
    flags: (leaf: number) => flagsOf[leaf] ?? 0,
    record: (leaf: number) => records[leaf] ?? 0,
    origin: (leaf: number) => originsOf[leaf] ?? 0,
    firstOf(origin: number, leaf: number): number {
      let first = leaf
      while (first > 0 && originsOf[first - 1] === origin) first -= 1
      return first
    },
    at(place: number): number {
      let low = 0
      let high = count - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= place) low = middle
        else high = middle - 1
      }
      return low
    },
    exact(key: number, each: (leaf: number) => boolean): void {
      let looks = 0
      for (let leaf = table[slotOf(key)] ?? NONE; leaf !== NONE && looks < MOST_LOOKS; leaf = earlier[leaf] ?? NONE) {
        looks += 1
        if (keys[leaf] === key && each(leaf)) return
      }
    },
    recordFlags: (record: number) => recordFlags[record] ?? 0,
  }
}
