/** Whether a path holds characters that a shell or a search tool reads as a pattern. */
export const isPattern = (path: string): boolean => /[*?[{]/.test(path)

/**
 * Whether a pattern of an absolute path is after a place or something below it. The place's own name must be met by more than
 * wildcards: `**` and `*` stand for everything, and are after nothing in particular. Braces are taken for `?*`: too wide is the
 * safe side.
 */
export function canMatch(pattern: string, place: string): boolean {
  const wanted = namesOf(pattern.replace(/\{[^{}]*\}/g, BRACES).replace(/[{}]/g, '*'))
  const names = namesOf(place)
  let reached: ReadonlySet<number> = new Set([0])
  for (const [depth, name] of names.entries()) {
    const isLast = depth === names.length - 1
    const next = new Set<number>()
    for (const at of reached) {
      const own = wanted[at]
      const isDeep = own === '**'
      if (isDeep && !isLast) next.add(at)
      const to = isDeep ? at + 1 : at
      if (matches(wanted[to], name, isLast)) next.add(to + 1)
    }
    reached = next
  }
  return reached.size > 0
}

/** Something that a list in braces may hold, and that counts as more than a wildcard. */
const BRACES = '\u0001*'

function matches(pattern: string | undefined, name: string, exactly: boolean): boolean {
  if (pattern === undefined) return false
  if (pattern === name) return true
  if (!/[*?[]/.test(pattern) || (exactly && /^[*?]+$/.test(pattern))) return false
  return starMatch(pattern.replaceAll(BRACES, '*').replace(/\[[^\]]*\]?/g, '?'), name)
}

/** Whether one name of a pattern stands for a name on the disk, letter case aside. */
export const nameMatches = (pattern: string, name: string): boolean =>
  matches(pattern.toLowerCase(), name.toLowerCase(), false)

/** Whether a name of a pattern is nothing but wildcards, and so after nothing in particular. */
export const isAnyName = (pattern: string): boolean => /^[*?]+$/.test(pattern)

/** `*` is any text, `?` any character. Walks both once, going back only to the last star. */
function starMatch(pattern: string, name: string): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0]
  while (from < name.length) {
    if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[from]) && pattern[at] !== '*') {
      at += 1
      from += 1
    } else if (pattern[at] === '*') {
      star = at
      mark = from
      at += 1
    } else if (star >= 0) {
      at = star + 1
      mark += 1
      from = mark
    } else return false
  }
  return /^\**$/.test(pattern.slice(at))
}

function namesOf(path: string): string[] {
  const names: string[] = []
  for (const name of path.toLowerCase().split(/[\\/]+/)) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}
