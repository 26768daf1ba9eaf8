/** A pattern over names, split at its stars once, when the policy is loaded. */
export type Glob = {
  readonly pattern: string
  /** No `*` and no `?`: matches exactly one name. */
  readonly exact: boolean
  /** One `*` and no `?`: prefix and suffix are enough to match. */
  readonly simple: boolean
  /** The literal start and end of every matching name. */
  readonly prefix: string
  readonly suffix: string
  /** The pieces between stars; the first is anchored at the start, the last at the end. */
  readonly pieces: readonly string[]
}

/** `*` matches any number of characters, including none; `?` exactly one. There is no escape, because names contain neither. */
export function parseGlob(pattern: string): Glob {
  const pieces = pattern.split('*').filter((piece, at, all) => piece !== '' || at === 0 || at === all.length - 1)
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  return {
    pattern,
    exact: pieces.length === 1 && !first.includes('?'),
    simple: pieces.length === 2 && !pattern.includes('?'),
    prefix: first.split('?', 1)[0] ?? '',
    suffix: last.slice(last.lastIndexOf('?') + 1),
    pieces,
  }
}

/**
 * Matches each piece at its leftmost position, which is always right when only stars separate pieces. Nothing is tried twice, so
 * a hostile name costs at most its length times the longest piece.
 */
export function matchesGlob(glob: Glob, name: string): boolean {
  if (glob.exact) return glob.pattern === name
  if (glob.simple) {
    const { prefix, suffix } = glob
    return name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  }
  const { pieces } = glob
  const first = pieces[0] ?? ''
  if (!standsAt(first, name, 0)) return false
  if (pieces.length === 1) return name.length === first.length
  const last = pieces.at(-1) ?? ''
  const end = name.length - last.length
  let from = first.length
  for (const piece of pieces.slice(1, -1)) {
    const at = leftmost(piece, name, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return from <= end && standsAt(last, name, end)
}

function standsAt(piece: string, name: string, at: number): boolean {
  if (at < 0 || at + piece.length > name.length) return false
  if (!piece.includes('?')) return name.startsWith(piece, at)
  for (let i = 0; i < piece.length; i += 1) {
    if (piece[i] !== '?' && piece[i] !== name[at + i]) return false
  }
  return true
}

function leftmost(piece: string, name: string, from: number): number {
  if (!piece.includes('?')) return name.indexOf(piece, from)
  for (let at = from; at + piece.length <= name.length; at += 1) {
    if (standsAt(piece, name, at)) return at
  }
  return -1
}
