import { nearest } from './nearest.ts'
import type { Tool } from '../contract/tool.ts'

const SEPARATORS = /[^a-z0-9]+/g
const plain = (id: string) => id.toLowerCase().replaceAll(SEPARATORS, '_')
/** Comparing letter by letter is slow, so only this many names are compared. */
const MOST_COMPARED = 100
const LONGEST_ID = 128
/** Shorter parts of a name match too many tools. */
const SHORTEST_START = 3

export const serverIn = (id: string) => (id.includes('__') ? id.slice(0, id.indexOf('__')) : '')
/** Without its server. */
const nameIn = (id: string) => (id.includes('__') ? id.slice(id.indexOf('__') + 2) : id)

/** The ids of the tools that servers list now. */
export const listedIds = (tools: readonly Tool[]): readonly string[] =>
  tools.flatMap(({ row }) => (row.gone_at === undefined ? [row.tool_id] : []))

/**
 * The tool that a mistyped id most likely means: other separators, a missing or wrong server, a few wrong letters, or only some of
 * the words in its name.
 */
export const nearestTool = (wanted: string, tools: readonly Tool[]): string | undefined =>
  nearestId(wanted, listedIds(tools))

/** The same for ids. */
export function nearestId(wanted: string, ids: readonly string[]): string | undefined {
  if (wanted.length > LONGEST_ID) return undefined
  const [whole, name] = [plain(wanted), plain(nameIn(wanted))]
  for (const isAlike of [(id: string) => plain(id) === whole, (id: string) => plain(nameIn(id)) === name]) {
    const same = ids.filter(isAlike)
    if (same.length > 0) return same.length === 1 ? same[0] : undefined
  }
  const server = serverIn(wanted)
  const ofServer = ids.filter((id) => serverIn(id) === server)
  // A name is compared without its server, or a long server name would make any two of its tools look alike.
  if (ofServer.length > 0) return byName(name, ofServer) ?? byWords(name, ofServer)
  if (server === '') return byName(name, ids) ?? byWords(name, ids)
  return nearest(wanted, ofLength(wanted, ids, String)) ?? byWords(name, ids)
}

function byName(name: string, ids: readonly string[]): string | undefined {
  const near = ofLength(name, ids, nameIn)
  const found = nearest(name, near.map(nameIn))
  return near.find((id) => nameIn(id) === found)
}

function ofLength(text: string, ids: readonly string[], partOf: (id: string) => string): readonly string[] {
  const slack = Math.ceil(text.length / 3)
  return ids.filter((id) => Math.abs(partOf(id).length - text.length) <= slack).slice(0, MOST_COMPARED)
}

const wordsIn = (name: string) =>
  name
    .toLowerCase()
    .split(SEPARATORS)
    .filter((word) => word !== '')

/** The shortest name that contains all these words, or words that start with them; one typo per word is corrected. */
function byWords(name: string, ids: readonly string[]): string | undefined {
  const known = new Set(ids.flatMap((id) => wordsIn(nameIn(id))))
  const vocabulary = [...known].slice(0, MOST_COMPARED)
  const words = wordsIn(name).map((word) => (known.has(word) ? word : (nearest(word, vocabulary) ?? word)))
  if (words.every((word) => word.length < SHORTEST_START)) return undefined
  const isIn = (word: string, parts: readonly string[]) =>
    parts.some((part) => part === word || (word.length >= SHORTEST_START && part.startsWith(word)))
  return ids
    .filter((id) => words.every((word) => isIn(word, wordsIn(nameIn(id)))))
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0]
}
