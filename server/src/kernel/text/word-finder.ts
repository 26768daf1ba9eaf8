/** A set of literals, found together in one pass over the text (Aho-Corasick, as a complete automaton). */
export type WordFinder = {
  /** The symbol of each ASCII code; 0 for characters that no word contains. Upper and lower case share a symbol. */
  readonly symbols: Uint8Array
  readonly width: number
  readonly next: Uint16Array | Int32Array
  /** Words end in the states from this one on. So a walk need not look into `ends` at each character. */
  readonly first_end: number
  /** The words that end in a state, as indexes into the list the finder was built from. */
  readonly ends: readonly (readonly number[] | undefined)[]
}

/** Builds the automaton. `words` are lower-case ASCII; equal words keep separate indexes. */
export function buildWordFinder(words: readonly string[]): WordFinder {
  const { symbols, width } = symbolsOf(words)
  const children: Map<number, number>[] = [new Map()]
  const ends: number[][] = [[]]
  words.forEach((word, index) => {
    let state = 0
    for (const symbol of symbolsIn(word, symbols)) {
      let child = children[state]?.get(symbol)
      if (child === undefined) {
        child = children.length
        children[state]?.set(symbol, child)
        children.push(new Map())
        ends.push([])
      }
      state = child
    }
    ends[state]?.push(index)
  })
  const { next, order } = completed(children, ends, width)
  return { symbols, width, ...renumbered(next, ends, order, width) }
}

/** Whether a text contains one of the words. */
export function holdsWord(text: string, { symbols, width, next, first_end }: WordFinder): boolean {
  let state = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
    if (state >= first_end) return true
  }
  return false
}

/** The states that most texts reach are near the start, where they share cache lines; those in which words end are last. */
function renumbered(
  next: WordFinder['next'],
  ends: readonly (readonly number[])[],
  order: readonly number[],
  width: number,
): Pick<WordFinder, 'next' | 'first_end' | 'ends'> {
  const isEnd = (state: number) => (ends[state]?.length ?? 0) > 0
  const inside = order.filter((state) => !isEnd(state))
  const states = [...inside, ...order.filter(isEnd)]
  const numbers = new Int32Array(states.length)
  for (const [number, state] of states.entries()) numbers[state] = number
  const moved = next.slice()
  for (const [number, state] of states.entries())
    for (let symbol = 0; symbol < width; symbol++)
      moved[number * width + symbol] = numbers[next[state * width + symbol] ?? 0] ?? 0
  return {
    next: moved,
    first_end: inside.length,
    ends: states.map((state) => (isEnd(state) ? ends[state] : undefined)),
  }
}

function symbolsOf(words: readonly string[]): { symbols: Uint8Array; width: number } {
  const symbols = new Uint8Array(128)
  let width = 1
  for (const char of new Set(words.join(''))) {
    const code = char.charCodeAt(0)
    if (code >= 128) continue // a word with such a character is never found; compileRules rejects it
    symbols[code] = width
    const upper = char.toUpperCase().charCodeAt(0)
    symbols[upper] = width
    width += 1
  }
  return { symbols, width }
}

function symbolsIn(word: string, symbols: Uint8Array): number[] {
  return Array.from(word, (char) => symbols[char.charCodeAt(0)] ?? 0)
}

/**
 * Fills in the failure transitions breadth first, so that every state has a transition for every symbol and a walk never steps
 * back. `order`: the states in that order.
 */
function completed(
  children: readonly Map<number, number>[],
  ends: number[][],
  width: number,
): { readonly next: WordFinder['next']; readonly order: readonly number[] } {
  const cells = children.length * width
  // A gate keeps several of these for the same few thousand states.
  const next = children.length <= 2 ** 16 ? new Uint16Array(cells) : new Int32Array(cells)
  const fallback = new Int32Array(children.length)
  const queue: number[] = []
  for (const [symbol, child] of children[0] ?? []) {
    next[symbol] = child
    queue.push(child)
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0
    const shorter = fallback[state] ?? 0
    ends[state]?.push(...(ends[shorter] ?? []))
    next.copyWithin(state * width, shorter * width, (shorter + 1) * width)
    for (const [symbol, child] of children[state] ?? []) {
      const cell = state * width + symbol
      fallback[child] = next[cell] ?? 0
      next[cell] = child
      queue.push(child)
    }
  }
  return { next, order: [0, ...queue] }
}
