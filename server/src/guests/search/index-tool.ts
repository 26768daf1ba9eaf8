import { changesOf, type ChangeBits } from './changes.ts'
import type { Called } from './exact-names.ts'
import { piecesOfTool, type WordPieces } from './likeness.ts'
import { packCell } from './postings.ts'
import { FIELDS, toolText, type SearchableTool } from './searchable-tool.ts'
import { splitText } from './split-text.ts'
import { STOP_WORDS } from './word-lists.ts'
import type { FieldTuning, SearchTuning } from './tuning.ts'
import type { Term, Vocabulary } from './vocabulary.ts'

/** The most distinct words per tool. Fields are read in order of weight, so what is left out matters least. */
const MOST_TERMS = 1_000

/** What the index stores per tool; its words are in the postings. */
export type IndexedTool = {
  readonly id: string
  readonly called: Called
  /** Sorted, with the cell of each at the same position in `cells`. */
  readonly terms: Uint32Array
  readonly cells: Uint32Array
  /** The terms of its name, without joined forms. */
  readonly name: Uint32Array
  readonly pieces: WordPieces
  readonly changes: ChangeBits
}

/**
 * A tool's terms with their effect: frequencies weighted by field and discounted by the field's length, then saturated (BM25F).
 * Lengths are compared with typical ones and not with the catalogue's average.
 * INVARIANT: a document's cells depend only on its own text, so indexing one tool never affects another.
 */
export function indexTool(
  tool: SearchableTool,
  vocabulary: Vocabulary,
  tuning: SearchTuning,
): { indexed: IndexedTool; cells: ReadonlyMap<Term, number> } {
  const text = toolText(tool)
  const weights = new Map<Term, number>()
  const fields = new Map<Term, number>()
  const own = (word: string) => vocabulary.own(vocabulary.stem(word), tool.server)
  for (const [bit, field] of FIELDS.entries()) {
    for (const [term, weight] of fieldWeights(text[field], own, tuning.fields[field])) {
      if (weights.size >= MOST_TERMS && !weights.has(term)) continue
      weights.set(term, (weights.get(term) ?? 0) + weight)
      fields.set(term, (fields.get(term) ?? 0) | (1 << bit))
    }
  }
  // A tool that stuffs every field with every word gains nothing by it.
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  const share = Math.min(1, tuning.fullest / all)
  const cells = new Map<Term, number>()
  for (const [term, weight] of weights)
    cells.set(term, packCell((weight * share) / (weight * share + tuning.saturation), fields.get(term) ?? 0))
  const name = splitText(text.name).filter(
    (word) => !word.joined && !STOP_WORDS.has(word.text) && !/^\p{N}+$/u.test(word.text),
  )
  const byNumber = [...cells].toSorted(([a], [b]) => a.number - b.number)
  const indexed = {
    id: tool.id,
    called: { id: tool.id, name: tool.name },
    terms: Uint32Array.from(byNumber, ([term]) => term.number),
    cells: Uint32Array.from(byNumber, ([, cell]) => cell),
    name: Uint32Array.from(new Set(name.flatMap((word) => own(word.text)?.number ?? []))),
    pieces: piecesOfTool(text),
    changes: changesOf(text.name),
  }
  return { indexed, cells }
}

function fieldWeights(
  text: string,
  own: (word: string) => Term | undefined,
  { weight, usual, discount }: FieldTuning,
): Map<Term, number> {
  const counts = new Map<Term, number>()
  let length = 0
  for (const word of splitText(text)) {
    if (STOP_WORDS.has(word.text)) continue
    const term = own(word.text)
    if (!word.joined) length += 1
    if (term === undefined) continue
    counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const scale = weight / (1 - discount + (discount * length) / usual)
  return new Map([...counts].map(([term, count]) => [term, count * scale]))
}

/** The cell of a term in a tool that contains it. */
export function cellOf(tool: IndexedTool | undefined, term: number): number | undefined {
  if (tool === undefined) return undefined
  const { terms, cells } = tool
  let from = 0
  let to = terms.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((terms[middle] ?? 0) < term) from = middle + 1
    else to = middle
  }
  return terms[from] === term ? cells[from] : undefined
}
