import type { Tool } from '../../contract/tool.ts'
import { skeleton } from './confusables.ts'

/** Another server's tool that this one can be taken for. */
export type LookAlike = { readonly tool_id: string; readonly by: 'name' | 'title' | 'server' }

/** A word this long is seldom one letter away from another word by chance. */
const LONG_WORD = 5
const SWAPPED_WORD = 4
const MOST_NAMED = 5

/**
 * For every tool, the admitted tools of other servers that it looks like without being called the same. The same name on two
 * servers is no imitation: what deceives is a name that reads the same and is not.
 * Made for whole catalogues: neighbours are found by their spelling with one letter left out, not by comparing all pairs.
 */
export function findLookAlikes(tools: readonly Tool[]): ReadonlyMap<string, readonly LookAlike[]> {
  const found = new Map<string, LookAlike[]>()
  const note = (tool: Tool, other: Tool, by: LookAlike['by']) => {
    if (other.row.server === tool.row.server || !isStanding(other)) return
    const own = found.get(tool.row.tool_id) ?? []
    if (own.length < MOST_NAMED) found.set(tool.row.tool_id, [...own, { tool_id: other.row.tool_id, by }])
  }
  for (const by of ['name', 'title'] as const) {
    const bearers = grouped(tools, (tool) => textOf(tool, by))
    for (const [text, similar] of pairsOf([...bearers.keys()])) {
      for (const tool of bearers.get(text) ?? []) {
        for (const other of similar.flatMap((one) => bearers.get(one) ?? [])) note(tool, other, by)
      }
    }
  }
  // Two servers whose own names look alike matter where both offer a tool of the same name.
  const nameOn = (server: string, name: string) => `${server}__${plainOf(name)}`
  const homes = grouped(tools, ({ row }) => nameOn(row.server, row.definition.name))
  const servers = new Map(pairsOf([...new Set(tools.map(({ row }) => row.server))]))
  for (const tool of tools) {
    const { server, definition } = tool.row
    for (const near of servers.get(server) ?? []) {
      for (const other of homes.get(nameOn(near, definition.name)) ?? []) note(tool, other, 'server')
    }
  }
  return found
}

/** What an operator has admitted and a server still lists. */
const isStanding = ({ row }: Tool) => row.admitted !== undefined && row.gone_at === undefined

/** Every text that looks like some other, with those. */
function pairsOf(texts: readonly string[]): [string, readonly string[]][] {
  const shelves = new Map<string, string[]>()
  const keys = texts.map((text) => [text, keysOf(text)] as const)
  for (const [text, own] of keys) for (const key of own) push(shelves, key, text)
  return keys.flatMap(([text, own]) => {
    const near = new Set(own.flatMap((key) => shelves.get(key) ?? []))
    const similar = [...near].filter((other) => looksLike(text, other)).sort()
    return similar.length === 0 ? [] : [[text, similar]]
  })
}

function grouped(
  tools: readonly Tool[],
  textOf: (tool: Tool) => string | undefined,
): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>()
  for (const tool of tools) {
    const text = textOf(tool)
    if (text !== undefined) push(groups, text, tool)
  }
  return groups
}

function push<T>(shelves: Map<string, T[]>, key: string, item: T): void {
  const shelf = shelves.get(key)
  if (shelf === undefined) shelves.set(key, [item])
  else shelf.push(item)
}

function textOf({ row }: Tool, by: 'name' | 'title'): string | undefined {
  if (by === 'name') return row.definition.name
  const title = row.definition.title ?? row.definition.annotations?.['title']
  return typeof title === 'string' ? title : undefined
}

/** Whether one text can be taken for the other although they are not the same, apart from case and separators. */
export function looksLike(a: string, b: string): boolean {
  const [left, right] = [plainOf(a), plainOf(b)]
  if (lettersOf(left) === lettersOf(right) || left.length === 0 || right.length === 0) return false
  if (skeleton(lettersOf(left)) === skeleton(lettersOf(right))) return true
  const [some, others] = [left.split(' '), right.split(' ')]
  if (some.length !== others.length) return false
  const differing = some.flatMap((word, at) => (word === others[at] ? [] : [[word, others[at] ?? ''] as const]))
  return differing.length === 1 && differing.every(([one, other]) => isTypoOf(one, other))
}

/** One letter added, left out or replaced in a long word, or two neighbours swapped; not a plural, a number or a version. */
function isTypoOf(a: string, b: string): boolean {
  if (/\d/.test(a + b) || a === `${b}s` || b === `${a}s`) return false
  if (isSwapOf(a, b)) return a.length >= SWAPPED_WORD
  return Math.min(a.length, b.length) >= LONG_WORD && isOneEditFrom(a, b)
}

function isSwapOf(a: string, b: string): boolean {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return (
    a.length === b.length && at < a.length && a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2) === b
  )
}

function isOneEditFrom(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return long.length === short.length
    ? short.slice(at + 1) === long.slice(at + 1)
    : short.slice(at) === long.slice(at + 1)
}

/** Lower-case words: `sendMail`, `send-mail` and `Send_mail` are one name. */
function plainOf(text: string): string {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[\s_\-./:]+/g, ' ')
    .trim()
}

const lettersOf = (plain: string) => plain.replaceAll(' ', '')

/** Texts that look alike share one of these. */
function keysOf(text: string): string[] {
  const letters = lettersOf(plainOf(text))
  const shorter = Array.from({ length: letters.length }, (_, at) => `${letters.slice(0, at)}${letters.slice(at + 1)}`)
  return [`= ${skeleton(letters)}`, ...[letters, ...shorter].map((spelling) => `- ${spelling}`)]
}
