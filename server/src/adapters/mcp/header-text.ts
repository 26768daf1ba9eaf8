const CODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** The text in a header that repeats an argument, decoded if necessary; undefined if it cannot be decoded. */
export function headerText(value: string): string | undefined {
  const trimmed = value.trim()
  if (!trimmed.startsWith('=?base64?') || !trimmed.endsWith('?=')) return trimmed
  const coded = CODED.exec(trimmed)?.[1]
  if (coded === undefined || coded.length % 4 !== 0) return undefined
  try {
    return UTF8.decode(Buffer.from(coded, 'base64'))
  } catch {
    return undefined
  }
}
