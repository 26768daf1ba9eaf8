/** One term's postings: pairs of document number and cell, where a cell packs the effect and the fields. */
export type Postings = { cells: Uint32Array; length: number }

const EFFECT_STEPS = 65_535

export const packCell = (effect: number, fields: number): number => (Math.round(effect * EFFECT_STEPS) << 8) | fields
export const effectOf = (cell: number): number => (cell >>> 8) / EFFECT_STEPS
export const fieldsOf = (cell: number): number => cell & 0xff

export function addPosting(postings: Postings, doc: number, cell: number): void {
  if (postings.length === postings.cells.length) {
    const grown = new Uint32Array(Math.max(2, Math.ceil(postings.cells.length * 0.75) * 2))
    grown.set(postings.cells)
    postings.cells = grown
  }
  postings.cells[postings.length] = doc
  postings.cells[postings.length + 1] = cell
  postings.length += 2
}

/** The last posting takes the place of the removed one: order carries no meaning. */
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

export function cellOf(postings: Postings, doc: number): number {
  for (let at = 0; at < postings.length; at += 2) if (postings.cells[at] === doc) return postings.cells[at + 1] ?? 0
  return 0
}
