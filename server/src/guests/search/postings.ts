/**
 * Which documents contain a term: pairs of document number and cell in one flat array. A cell packs the term's effect in the
 * document (0 to 1, in 65,535 steps) and a bit for each field that contains it. The order has no meaning.
 */
export type Postings = { cells: Uint32Array; length: number }

const STEPS = 65_535

/** INVARIANT: the effect is never zero, so that a score of zero means that nothing matched. */
export const packCell = (effect: number, fields: number): number =>
  (Math.max(1, Math.round(effect * STEPS)) << 8) | fields
export const effectOf = (cell: number): number => (cell >>> 8) / STEPS
export const fieldsOf = (cell: number): number => cell & 0xff

export const emptyPostings = (): Postings => ({ cells: new Uint32Array(2), length: 0 })
export const documentsIn = (postings: Postings): number => postings.length / 2

export function addPosting(postings: Postings, doc: number, cell: number): void {
  if (postings.length === postings.cells.length) {
    const grown = new Uint32Array(Math.ceil(postings.cells.length * 0.75) * 2)
    grown.set(postings.cells)
    postings.cells = grown
  }
  postings.cells[postings.length] = doc
  postings.cells[postings.length + 1] = cell
  postings.length += 2
}

/** Moves the last posting into the place of the removed one. */
export function removePosting(postings: Postings, doc: number): void {
  const { cells, length } = postings
  for (let at = 0; at < length; at += 2) {
    if (cells[at] !== doc) continue
    cells[at] = cells[length - 2] ?? 0
    cells[at + 1] = cells[length - 1] ?? 0
    postings.length -= 2
    return
  }
}
