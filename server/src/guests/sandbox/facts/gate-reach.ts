import type { DiskLook, OwnPlace } from '../../../kernel/ports/files.ts'
import type { ArgumentText } from '../argument-texts.ts'
import type { FileArgument } from '../file-arguments.ts'
import type { Certainty } from '../files-fact.ts'
import { canMatch, isPattern, isAnyName, nameMatches, namesOf } from '../../../kernel/text/glob-reach.ts'
import { ownNameAcross, ownNameIn } from '../own-names.ts'
import { nameSpellings } from '../name-spellings.ts'

export const isAbsolute = (path: string): boolean => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)

/** How the places that a path may lead to relate to the gate's own files. */
export async function gateOf(
  readings: readonly string[],
  look: DiskLook,
  bases: readonly string[],
): Promise<readonly OwnPlace[]> {
  if (look.own.length === 0) return []
  const places = new Set<OwnPlace>()
  for (const reading of readings) {
    const froms = isAbsolute(reading) ? [undefined] : bases
    for (const from of froms) {
      const followed = await look.follow(reading, from)
      for (const place of followed === undefined ? [] : await look.placesOf(followed)) places.add(place)
      if (isPattern(reading)) for (const place of reachOf(`${from ?? ''}/${reading}`, look)) places.add(place)
    }
    if (bases.length === 0 && namesData(reading, look)) places.add('data')
  }
  return [...places]
}

function reachOf(pattern: string, { own, programs }: DiskLook): readonly OwnPlace[] {
  const [data, ...settings] = own
  return [
    ...(data !== undefined && canMatch(pattern, data) ? (['data'] as const) : []),
    ...(settings.some((place) => canMatch(pattern, place)) ? (['settings'] as const) : []),
    ...(programs.some((place) => canMatch(pattern, place)) ? (['program'] as const) : []),
  ]
}

/** If it is unknown what a relative path is relative to, the data folder is recognized by its name, if that is distinctive. */
function namesData(reading: string, { own }: DiskLook): boolean {
  const name = own[0]?.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  return name.startsWith('.') && !isAbsolute(reading) && reading.toLowerCase().split(/[\\/]/).includes(name)
}

/** A text that names or reaches one of the gate's own files. */
export type Reached = { readonly path: readonly string[]; readonly certainty: Certainty }

const MOST_TEXTS_AT_ONCE = 8

/** Whether `namedFiles` could find something. If not, nothing has to be looked up. */
export function mayNameFiles(texts: readonly ArgumentText[], look: DiskLook): boolean {
  if (look.own.length === 0) return false
  for (const { text, kind } of texts) {
    if (ownNameIn(text, kind, look.names) !== undefined) return true
    if (kind !== 'content' && kind !== 'code' && patternsIn(text).length > 0) return true
  }
  return look.mayBeHere && ownNameAcross(texts, look.names).length > 0
}

/** The texts that name one of the gate's own files, whatever the path is relative to, alone or two of them together. */
export async function namedFiles(
  texts: readonly ArgumentText[],
  look: DiskLook,
  bases: readonly string[],
  pause: () => Promise<void> | undefined,
): Promise<readonly Reached[]> {
  if (look.own.length === 0) return []
  const found: Reached[] = []
  for (const [at, { text, kind, path }] of texts.entries()) {
    if (at % MOST_TEXTS_AT_ONCE === 0) await pause()
    const named = ownNameIn(text, kind, look.names)
    if (named !== undefined && (await isOurs(named.paths, look, bases)))
      found.push({ path, certainty: named.certainty })
    else if (isAfterOurs(text, kind, look, bases)) found.push({ path, certainty: 'path' })
  }
  if (look.mayBeHere) for (const path of ownNameAcross(texts, look.names)) found.push({ path, certainty: 'path' })
  return found
}

/** An existing path to another place is not ours. Any other may be, depending on what it is relative to. */
async function isOurs(paths: readonly string[], look: DiskLook, bases: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const froms = isAbsolute(path) ? [undefined] : bases
    let isOther = false
    for (const from of froms) {
      if (!(await look.isThere(path, from))) continue
      const followed = await look.follow(path, from)
      const places = followed === undefined ? [] : await look.placesOf(followed)
      if (places.includes('data')) return true
      isOther = true
    }
    const isBareFile = look.names.folder === undefined || !path.includes(look.names.folder)
    if (!isOther && (look.mayBeHere || !isBareFile)) return true
  }
  return false
}

function isAfterOurs(text: string, kind: ArgumentText['kind'], look: DiskLook, bases: readonly string[]): boolean {
  const [data] = look.own
  if (data === undefined || kind === 'content' || kind === 'code') return false
  const froms = bases.length === 0 && look.mayBeHere ? [data.replace(/[\\/][^\\/]*$/, '')] : bases
  return patternsIn(text).some((pattern) =>
    froms.some(
      (from) =>
        canMatch(isAbsolute(pattern) ? pattern : `${from}/${pattern}`, data) ||
        look.names.files.some((file) => isAfterFile(pattern, from, data, file)),
    ),
  )
}

const MOST_PAIRS = 12
const ONE_NAME = /^[^\s*?"'<>|]{1,255}$/

/** Whether a folder in one argument and a name in another lead into the data folder together, also through links. */
export async function pairedFiles(found: readonly FileArgument[], look: DiskLook): Promise<readonly Reached[]> {
  if (!look.isHere || look.own.length === 0) return []
  const folders = found.filter(({ certainty, text }) => certainty === 'path' && text.length <= 1024)
  const reached: Reached[] = []
  let left = MOST_PAIRS
  for (const folder of folders) {
    for (const name of found) {
      if (name.path === folder.path || isAbsolute(name.text) || !ONE_NAME.test(name.text)) continue
      left -= 1
      if (left < 0) return reached
      const followed = await look.follow(`${folder.text}/${name.text}`)
      const places = followed?.is_found === true ? await look.placesOf(followed) : []
      if (places.includes('data')) reached.push({ path: name.path, certainty: 'path' })
    }
  }
  return reached
}

const MOST_PATTERNS = 50
const LONGEST = 1024
const NONE: readonly string[] = []

/** The parts of a text that a shell or a search tool would treat as a pattern. */
function patternsIn(text: string): readonly string[] {
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
function isAfterFile(pattern: string, from: string, data: string, file: string): boolean {
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
