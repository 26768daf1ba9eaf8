import { unescapeText, unpercent } from '../traps/encodings.ts'
import { isText, type ArgumentText } from './argument-texts.ts'

export type Mention = { readonly path: readonly string[]; readonly is_content: boolean }

/**
 * Where the absolute path of a place stands in a text, whatever surrounds it: in any letter case, quoted, escaped, percent-encoded
 * or with empty names in it. In a field for text it is only spoken of.
 */
export function mentionsOf(texts: readonly ArgumentText[], place: string | undefined): readonly Mention[] {
  if (place === undefined || place.length < 4) return []
  const wanted = fold(place)
  // In code that somebody may run, a telling name of the folder is enough.
  const name = wanted.split('/').at(-1) ?? ''
  const isTelling = name.startsWith('.') && name.length > 3
  return texts.flatMap(({ text, path, kind }) => {
    if (!/[\\/%]/.test(text)) return []
    const names = kind === 'code' && isTelling ? [wanted, `${name}/`] : [wanted]
    const isThere = spellingsOf(text).some((spelling) => names.some((one) => holds(spelling, one)))
    return isThere ? [{ path, is_content: isText(kind) }] : []
  })
}

/** The place itself, and not only a longer name that begins like it. */
function holds(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const after = text[at + wanted.length]
    if (wanted.endsWith('/') || after === undefined || !/[\w.-]/.test(after)) return true
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
