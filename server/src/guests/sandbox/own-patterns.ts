import { isAnyName, isPattern, nameMatches, namesOf } from '../../kernel/text/glob-reach.ts'
import { nameSpellings } from './name-spellings.ts'

const MOST_PATTERNS = 50
const LONGEST = 1024
const NONE: readonly string[] = []

/** The parts of a text that a shell or a search tool would treat as a pattern. */
export function patternsIn(text: string): readonly string[] {
  if (!isPattern(text) && !/[@+!]\(/.test(text)) return NONE
  const found = new Set<string>()
  for (const spelling of nameSpellings(text)) {
    // `@(a|b)` and `!(a)` count as any name: too wide, which is safe.
    const plain = spelling.replace(/[@+!*?]\([^()]{0,200}\)/g, '*')
    for (const piece of plain.split(/[\s"'`<>|&;=:()]+/)) {
      if (found.size >= MOST_PATTERNS) return [...found]
      const value = piece.replace(/^-{1,2}[a-z][\w-]{0,40}$/, '')
      if (value.length <= LONGEST && isPattern(value)) found.add(value)
    }
  }
  return [...found]
}

/** File extensions that ordinary files have too: a pattern of only one of these does not target the gate's files in particular. */
const COMMON_ENDING = /^\.?(?:json|ya?ml|txt|log|md|db|lock)$/

/**
 * Whether a pattern, relative to a folder, targets one of the gate's own files: it matches the whole path, and matches one of the
 * names in the data folder's path from `from` on by more than wildcards or a common extension. A search tool compares a pattern
 * without a folder with the last name, at any depth.
 */
export function isAfterFile(pattern: string, from: string, data: string, file: string): boolean {
  const wanted = namesOf(pattern.startsWith('/') ? pattern : `${from}/${pattern.includes('/') ? '' : '**/'}${pattern}`)
  const own = namesOf(`${data}/${file}`)
  const inside = namesOf(data).length - 1
  /** A state is a position in the pattern, and whether a specific name was matched. */
  let states = new Set(['0 '])
  for (const [depth, name] of own.entries()) {
    const next = new Set<string>()
    for (const state of states) {
      const [at, specific] = [Number.parseInt(state, 10), state.slice(state.indexOf(' ') + 1)]
      for (const to of placesFrom(wanted, at)) {
        const part = wanted[to]
        if (part === '**') next.add(`${to} ${specific}`)
        else if (part !== undefined && nameMatches(part, name))
          next.add(`${to + 1} ${specific === 't' || (depth >= inside && isSpecific(part)) ? 't' : ''}`)
      }
    }
    states = next
  }
  return [...states].some((state) => {
    const at = Number.parseInt(state, 10)
    const isEnd = wanted.slice(at).every((part) => part === '**')
    return isEnd && state.endsWith(' t')
  })
}

/** `**` also matches no folder at all. */
function placesFrom(wanted: readonly string[], at: number): readonly number[] {
  const places = [at]
  for (let next = at; wanted[next] === '**'; next += 1) places.push(next + 1)
  return places
}

function isSpecific(part: string): boolean {
  const literal = part.replace(/\[[^\]]*\]?|[*?]/g, '')
  if (isAnyName(part) || COMMON_ENDING.test(literal)) return false
  return literal === part || literal.length >= 3
}
