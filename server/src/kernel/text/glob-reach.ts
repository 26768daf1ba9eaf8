import { braceVariants } from './brace-variants.ts'

/** Whether a path contains characters that a shell or a search tool treats as a pattern. */
export const isPattern = (path: string): boolean => /[*?[{]/.test(path)

/**
 * Whether a pattern for absolute paths targets a path or something below it. The path's own name must match more than wildcards:
 * `**` and `*` match everything and target nothing in particular. Lists in braces are expanded; a range, and more lists than the gate
 * expands, match anything, which errs on the safe side.
 */
export function canMatch(pattern: string, place: string): boolean {
  const names = namesOf(place)
  if (!/[{}]/.test(pattern)) return reaches(pattern, names)
  const lists = braceVariants(pattern.replace(/\{[^{},]{0,20}\.\.[^{},]{0,20}\}/g, BRACES))
  const variants = lists ?? [pattern.replace(/\{[^{}]*\}/g, BRACES)]
  // Some programs read `{a}` as `a`. A list that was cut off, such as `{a`, begins with a name that begins like this.
  const plain = (one: string) => one.replace(/\{([^{}]*)\}/g, '$1').replace(/(?<=^|[\\/])\{([^{}\\/]+)/g, '$1*')
  return variants.some((one) => reaches(plain(one).replace(/[{}]/g, '*'), names))
}

function reaches(pattern: string, names: readonly string[]): boolean {
  const wanted = namesOf(pattern)
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

/** Matches anything, and counts as more than a wildcard. */
const BRACES = '\u0001*'

function matches(pattern: string | undefined, name: string, exactly: boolean): boolean {
  if (pattern === undefined) return false
  if (pattern === name) return true
  if (!/[*?[]/.test(pattern) || (exactly && /^[*?]+$/.test(pattern))) return false
  return starMatch(pattern.replaceAll(BRACES, '*').replace(/\[[^\]]*\]?/g, '?'), name)
}

/** Whether one segment of a pattern matches a file name, ignoring case. */
export const nameMatches = (pattern: string, name: string): boolean =>
  matches(pattern.toLowerCase(), name.toLowerCase(), false)

/** Whether a segment of a pattern is only wildcards, and so targets nothing in particular. */
export const isAnyName = (pattern: string): boolean => /^[*?]+$/.test(pattern)

/** `*` matches any text, `?` any character. One pass, backtracking only to the last star. */
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

/** The names of the folders and the file of a path, from the root; `.` and `..` are resolved. */
export function namesOf(path: string): string[] {
  const names: string[] = []
  for (const name of path.toLowerCase().split(/[\\/]+/)) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}
