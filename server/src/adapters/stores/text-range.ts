/**
 * Positions count UTF-16 units, as sizes do everywhere. A surrogate pair belongs to the page of its first half, so that no page
 * contains half a character and adjacent pages concatenate to the text.
 */
export function range(text: string, from: number, length: number): string {
  const splits = (at: number) => isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
  const start = splits(from) ? from + 1 : from
  const end = splits(from + length) ? from + length + 1 : from + length
  return text.slice(start, Math.max(start, end))
}

const isHigh = (unit: number) => unit >= 0xd8_00 && unit <= 0xdb_ff
const isLow = (unit: number) => unit >= 0xdc_00 && unit <= 0xdf_ff
