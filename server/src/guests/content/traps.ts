import type { TextLeaf } from '../../kernel/text/text-leaves.ts'
import { base64Cores, hexOf, unescapeText, percentDecode, utf8 } from '../../kernel/text/encodings.ts'

/** One honey token, prepared for searching. It is identified by its place in the configuration; its text is never shown. */
export type Trap = {
  readonly kind: 'token' | 'file'
  readonly name: string
  /** Folded: see `fold`. */
  readonly plain: readonly string[]
  /** In base64, which is case-sensitive. */
  readonly encoded: readonly string[]
}

export function compileTrap(kind: Trap['kind'], name: string, text: string): Trap {
  const folded = fold(text)
  const spellings = [...new Set([text, text.toLowerCase(), text.toUpperCase()])].map(utf8)
  const cores = spellings.flatMap(base64Cores)
  const safe = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))
  return {
    kind,
    name,
    plain: [folded, ...spellings.map(hexOf)],
    encoded: [...new Set([...cores, ...safe])],
  }
}

export type TriggeredTrap = Pick<Trap, 'name' | 'kind'> & { readonly path: readonly string[] }

/**
 * Which honey tokens the arguments contain and where: as written, in another case, with spaces in between, percent-, JSON-, hex-
 * or base64-encoded.
 */
export function triggeredTraps(leaves: readonly TextLeaf[], traps: readonly Trap[]): TriggeredTrap[] {
  if (traps.length === 0) return []
  return leaves.flatMap(({ text, path }) => {
    const plain = spellingsOf(text)
    const raw = text.replace(/\s/g, '')
    const isIn = (trap: Trap) =>
      trap.plain.some((bait) => plain.some((spelling) => spelling.includes(bait))) ||
      trap.encoded.some((bait) => raw.includes(bait))
    return traps.filter(isIn).map(({ name, kind }) => ({ name, kind, path }))
  })
}

function spellingsOf(text: string): string[] {
  const once = percentDecode(text)
  const twice = percentDecode(once)
  return [...new Set([text, once, twice, unescapeText(text), unescapeText(twice)].map(fold))]
}

/** One spelling for everything that reads the same: no case, no white space, no invisible characters, one kind of slash. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '')
    .replaceAll('\\', '/')
    .replace(/\/(?:\.?\/)+/g, '/')
    .toLowerCase()
}
