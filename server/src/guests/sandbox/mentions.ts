import { unescapeText, percentDecode } from '../../kernel/text/encodings.ts'
import { isText, type ArgumentText } from './argument-texts.ts'

export type Mention = { readonly path: readonly string[]; readonly is_content: boolean }

/**
 * Where a text contains the absolute path of a place, in any context: in any letter case, quoted, escaped, percent-encoded or
 * with empty names in it. In a field for text it is only a mention.
 */
export function mentionsOf(texts: readonly ArgumentText[], place: string | undefined): readonly Mention[] {
  if (place === undefined || place.length < 4 || !texts.some(mayHoldPlace)) return NONE
  const wanted = fold(place)
  // In code that may be run, the folder's name is enough if it is distinctive.
  const name = wanted.split('/').at(-1) ?? ''
  const isDistinctive = name.startsWith('.') && name.length > 3
  return texts.flatMap(({ text, path, kind }) => {
    if (!mayHoldPlace({ text })) return []
    const names = kind === 'code' && isDistinctive ? [wanted, `${name}/`] : [wanted]
    const isThere = spellingsOf(text).some((spelling) => names.some((one) => holds(spelling, one)))
    return isThere ? [{ path, is_content: isText(kind) }] : []
  })
}

const NONE: readonly Mention[] = []
const mayHoldPlace = ({ text }: Pick<ArgumentText, 'text'>): boolean => /[\\/%]/.test(text)

/** The place itself, not a longer name that starts the same way. */
function holds(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const after = text[at + wanted.length]
    if (wanted.endsWith('/') || after === undefined || !/[\w.-]/.test(after)) return true
  }
  return false
}

/** A longer text is checked only as written, because decoding it byte by byte would block the event loop for too long. */
const LONGEST_SPELLED = 16_384

function spellingsOf(text: string): readonly string[] {
  if (text.length > LONGEST_SPELLED) return [text.toLowerCase()]
  const plain = [text]
  if (text.includes('%')) plain.push(percentDecode(text), percentDecode(percentDecode(text)))
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
