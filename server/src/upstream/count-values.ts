const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Every value but the first of its list follows a comma. A field takes as long as a few other values. */
const WEIGHTS = new Map([',', '[', '{'].map((mark) => [mark.charCodeAt(0), 1])).set(':'.charCodeAt(0), 5)

/** Whether a JSON text holds more than so many values, found out without reading it. */
export function countsMoreValues(text: string, most: number): boolean {
  // The shortest field takes five characters, and a comma.
  if (text.length < most) return false
  let left = most
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInString = !isInString
    else if (isInString) at += code === BACKSLASH ? 1 : 0
    else if (code > 0x2b) left -= WEIGHTS.get(code) ?? 0
    if (left < 0) return true
  }
  return false
}
