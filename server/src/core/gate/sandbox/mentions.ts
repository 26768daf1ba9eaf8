import { unescapeText, unpercent } from '../traps/encodings.ts'
import type { ArgumentText } from './argument-texts.ts'

export type Mention = { readonly path: readonly string[]; readonly is_content: boolean }

/**
 * Where the absolute path of a place stands in a text, whatever surrounds it: in any letter case, quoted, escaped, percent-encoded
 * or with empty names in it. In a field for text it is only spoken of.
 */
export function mentionsOf(texts: readonly ArgumentText[], place: string | undefined): readonly Mention[] {
  if (place === undefined || place.length < 4) return []
  const wanted = fold(place)
  return texts.flatMap(({ text, path, kind }) => {
    if (text.length < place.length || !/[\\/%]/.test(text)) return []
    return spellingsOf(text).some((spelling) => holds(spelling, wanted))
      ? [{ path, is_content: kind === 'content' }]
      : []
  })
}

/** The place itself, and not only a longer name that begins like it. */
function holds(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const after = text[at + wanted.length]
    if (after === undefined || !/[\w.-]/.test(after)) return true
  }
  return false
}

/** A longer text is looked at as it is written: what decodes it byte by byte would hold everybody else up. */
const LONGEST_SPELLED = 16_384

function spellingsOf(text: string): readonly string[] {
  if (text.length > LONGEST_SPELLED) return [text.toLowerCase()]
  const plain = [text]
  if (text.includes('%')) plain.push(unpercent(text), unpercent(unpercent(text)))
  if (text.includes('\\')) plain.push(unescapeText(text), text.replaceAll('\\', ''))
  return plain.map(fold)
}

const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/["'`\p{Cf}]/gu, '')
    .replaceAll('\\', '/')
    .replace(/\/(?:\.?\/)+/g, '/')
    .toLowerCase()
