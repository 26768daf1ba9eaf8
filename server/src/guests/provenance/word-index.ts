import type { Words } from './text.ts'

/**
 * All words of a session's outputs in one array of numbers, with a table from each word to its last position and from there to
 * earlier ones. It only grows. Sixteen bytes per word: less than three times the text.
 */
export type WordIndex = {
  add(words: Words): number
  /** Positions where the words occur in this order; `each` returns true to stop. At most `MOST_PLACES` are checked. */
  find(words: Words, each: (place: number) => boolean): 'looked' | 'too_many'
  /** The words from one position up to another. */
  read(from: number, to: number): Uint32Array
  length(): number
}

const MOST_PLACES = 500
const EMPTY = 0xffffffff

export function createWordIndex(): WordIndex {
  let full = new Uint32Array(1024)
  let earlier = new Uint32Array(1024)
  let table = new Uint32Array(2048).fill(EMPTY)
  let length = 0
  let different = 0

  const slotOf = (word: number): number => {
    const mask = table.length - 1
    let slot = (Math.imul(word, 0x9e3779b1) >>> 7) & mask
    for (;;) {
      const place = table[slot] ?? EMPTY
      if (place === EMPTY || full[place] === word) return slot
      slot = (slot + 1) & mask
    }
  }

  function grow(needed: number): void {
    let size = full.length
    while (size < needed) size = Math.ceil(size * 1.5)
    const [oldFull, oldEarlier] = [full, earlier]
    full = new Uint32Array(size)
    full.set(oldFull)
    earlier = new Uint32Array(size)
    earlier.set(oldEarlier)
  }

  function rehash(): void {
    const old = table
    table = new Uint32Array(old.length * 2).fill(EMPTY)
    for (const place of old) if (place !== EMPTY) table[slotOf(full[place] ?? 0)] = place
  }

  return {
    add(words) {
      const start = length
      if (length + words.length > full.length) grow(length + words.length)
      for (let i = 0; i < words.length; i += 1) {
        const word = words.full[i] ?? 0
        const slot = slotOf(word)
        const last = table[slot] ?? EMPTY
        full[length] = word
        earlier[length] = last
        table[slot] = length
        length += 1
        if (last === EMPTY) {
          different += 1
          if (different * 10 > table.length * 7) rehash()
        }
      }
      return start
    },
    find(words, each) {
      if (words.length === 0) return 'looked'
      const first = words.full[0] ?? 0
      let place = table[slotOf(first)] ?? EMPTY
      for (let looked = 0; place !== EMPTY; looked += 1) {
        if (looked >= MOST_PLACES) return 'too_many'
        if (matches(full, place, words, length) && each(place)) return 'looked'
        place = earlier[place] ?? EMPTY
      }
      return 'looked'
    },
    read: (from, to) => full.subarray(from, Math.min(to, length)),
    length: () => length,
  }
}

function matches(full: Uint32Array, place: number, words: Words, length: number): boolean {
  if (place + words.length > length) return false
  for (let i = 1; i < words.length; i += 1) if (full[place + i] !== words.full[i]) return false
  return true
}

/** One number for a whole value, to find the fields that contain exactly it. */
export function valueKey(words: Words, from = 0, to = words.length): number {
  let key = 0x811c9dc5
  for (let i = from; i < to; i += 1) key = Math.imul(key ^ (words.full[i] ?? 0), 0x01000193)
  return key >>> 0
}
