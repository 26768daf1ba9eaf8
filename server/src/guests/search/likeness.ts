import type { ToolText } from './searchable-tool.ts'
import { splitText } from './split-text.ts'
import { REQUEST_WORDS, STOP_WORDS } from './word-lists.ts'

/** The pieces of a text, four letters each, as numbers; each counts once. */
export type WordPieces = Uint16Array

export type Likeness = {
  add(pieces: WordPieces): void
  remove(pieces: WordPieces): void
  /**
   * The overall similarity of a query and a document: 0 to 1, the cosine of their pieces weighted by rarity. Valid until the next
   * query.
   */
  to(text: string, documents: number): (pieces: WordPieces) => number
}

const LENGTH = 4
/** Few enough for a table, and enough that two pieces rarely share a number. */
const NUMBERS = 65_536
const MOST_PIECES = 2_000

/**
 * Words that are neither equal nor synonyms still share pieces (`lyric`, `lyrical`; `geocode`, `geocoding`), and a text that
 * contains little else is more similar than one that contains much. Stored beside the postings; only leading candidates are
 * compared.
 */
export function createLikeness(): Likeness {
  const holders = new Uint32Array(NUMBERS)
  /** For each piece: the last query that contained it. */
  const asked = new Uint32Array(NUMBERS)
  let query = 0
  let weights = new Float64Array(0)
  let weightsFor = -1

  /** The square of a piece's rarity, by how many documents contain it. */
  function weigh(documents: number): Float64Array {
    if (weightsFor === documents) return weights
    weights = Float64Array.from(
      { length: documents + 1 },
      (_, held) => Math.log(1 + (documents - held + 0.5) / (held + 0.5)) ** 2,
    )
    weightsFor = documents
    return weights
  }

  return {
    add: (pieces) => pieces.forEach((piece) => void (holders[piece] = (holders[piece] ?? 0) + 1)),
    remove: (pieces) => pieces.forEach((piece) => void (holders[piece] = (holders[piece] ?? 1) - 1)),
    to(text, documents) {
      const table = weigh(documents)
      const own = (query = (query + 1) >>> 0)
      const wanted = piecesOf(text, REQUEST_WORDS).filter((piece) => (holders[piece] ?? 0) > 0)
      let size = 0
      for (const piece of wanted) {
        asked[piece] = own
        size += table[holders[piece] ?? 0] ?? 0
      }
      return (pieces) => {
        let both = 0
        let all = 0
        for (const piece of pieces) {
          const weight = table[holders[piece] ?? 0] ?? 0
          all += weight
          if (asked[piece] === own) both += weight
        }
        return both === 0 ? 0 : both / Math.sqrt(all * size)
      }
    },
  }
}

/** A tool's own text without its parameters, because a long schema would outweigh the rest. */
export const piecesOfTool = ({ name, title, description, tags, server }: ToolText): WordPieces =>
  piecesOf(`${name} \n ${title} \n ${description} \n ${tags} \n ${server}`, new Set())

function piecesOf(text: string, without: ReadonlySet<string>): WordPieces {
  const pieces = new Set<number>()
  for (const { text: word, joined } of splitText(text)) {
    if (joined || STOP_WORDS.has(word) || without.has(word)) continue
    const edged = ` ${word} `
    for (let at = 0; at + LENGTH <= edged.length && pieces.size < MOST_PIECES; at += 1) pieces.add(numberOf(edged, at))
  }
  return Uint16Array.from(pieces)
}

/** FNV-1a over the letters, folded to the table's size. */
function numberOf(text: string, from: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < from + LENGTH; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (NUMBERS - 1)
}
