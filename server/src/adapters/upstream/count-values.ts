const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Every value but the first of its list follows a comma. A field takes as long to parse as several other values. */
const WEIGHTS = new Map([',', '[', '{'].map((mark) => [mark.charCodeAt(0), 1])).set(':'.charCodeAt(0), 5)

/** Whether a JSON text has more than this many values, determined without parsing it. */
export function countsMoreValues(text: string, most: number): boolean {
  // The shortest field takes five characters, and a comma.
  if (text.length < most) return false
  let left = most
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code > 0x2b) left -= WEIGHTS.get(code) ?? 0
    if (left < 0) return true
  }
  return false
}

/** Most strings contain no escape, so their end is the next quotation mark. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at)
    if (at === -1) return text.length
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at
  }
}
