/**
 * Texts that would look like another value if they were shown as they are: empty or with spaces around them, or like a figure, `true`, `null`, a list
 * or an object. They are shown in quotation marks, or with a word beside them.
 */
export const isAmbiguousText = (text: string): boolean =>
  text.trim() === '' || isJson(text.trim()) || (text.trim() !== text && !/[\r\n]/.test(text))

function isJson(text: string): boolean {
  // Most texts cannot be JSON, and parsing a long one takes time.
  if (!/^(?:[-\d"[{]|true$|false$|null$)/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A value in one line: a text without quotation marks, unless it would look like another value. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' && !isAmbiguousText(value) ? value : (JSON.stringify(value) ?? '')
