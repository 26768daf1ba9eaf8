import { inForce, type Tool } from '../contract/tool.ts'
import { looksLike, plainOf, spellingKeys, type LookAlike } from './look-alike.ts'

/**
 * For every tool, the admitted tools of other servers with a similar but not identical name. The same name on two servers is not
 * an imitation: what deceives is a name that reads the same and is not.
 */
export type LookAlikeIndex = {
  /** Adds or updates a tool, and updates the others that look like it. */
  set(tool: Tool): void
  remove(tool_id: string): void
  of(tool_id: string): readonly LookAlike[]
}

type Entry = {
  readonly tool_id: string
  readonly server: string
  readonly name: string
  readonly title: string | undefined
  /** Admitted and still listed. */
  readonly isActive: boolean
  readonly keys: readonly Key[]
  /** Admitted and listed tools that this one looks like, by the number of their entry. */
  readonly near: Map<number, LookAlike['by']>
}
type Key = { readonly of: 'name' | 'title' | 'home'; readonly key: number | string }

/** The limit per server and key. A server that exceeds it affects only its own tools. */
const MOST_SHARING = 16
/** More look-alikes of one tool add nothing: it is asked about anyway. */
const MOST_NEAR = 64
/** Growing one large table is slow; growing many small ones is not. */
const SHARDS = 256

/**
 * INVARIANT: the cost of adding, changing or removing a tool depends on its own texts and look-alikes, not on the size of the
 * catalogue, and a lookup only reads a list.
 * INVARIANT: one server's tools cannot prevent the look-alikes of another's from being found.
 */
export function createLookAlikeIndex(): LookAlikeIndex {
  const entries = new Map<number, Entry>()
  const numbers = new Map<string, number>()
  const tables = { name: createKeyTable(), title: createKeyTable(), home: createKeyTable() }
  const serverNames = new Map<string, readonly string[]>()
  let next = 0

  /** The servers whose names look like this one's. */
  function nearServers(server: string): readonly string[] {
    if (!serverNames.has(server)) {
      const near = [...serverNames.keys()].filter((other) => looksLike(server, other))
      for (const other of near) serverNames.set(other, [...(serverNames.get(other) ?? []), server])
      serverNames.set(server, near)
    }
    return serverNames.get(server) ?? []
  }

  function remove(tool_id: string): void {
    const number = numbers.get(tool_id)
    const entry = number === undefined ? undefined : entries.get(number)
    if (number === undefined || entry === undefined) return
    for (const { of, key } of entry.keys) tables[of].remove(key, number)
    numbers.delete(tool_id)
    // Other entries drop the number on their next lookup; it is never reused.
    entries.delete(number)
  }

  function link(number: number, entry: Entry, other: number, by: LookAlike['by']): void {
    const found = entries.get(other)
    if (found === undefined || found.server === entry.server || entry.near.has(other)) return
    if (by !== 'server' && !looksLike(textOf(entry, by), textOf(found, by))) return
    if (found.isActive) note(entry, other, by)
    if (entry.isActive) note(found, number, by)
  }

  function note(entry: Entry, other: number, by: LookAlike['by']): void {
    if (entry.near.size >= MOST_NEAR)
      for (const number of entry.near.keys()) if (!entries.has(number)) entry.near.delete(number)
    if (entry.near.size < MOST_NEAR && !entry.near.has(other)) entry.near.set(other, by)
  }

  return {
    set(tool) {
      const { tool_id, server } = tool.row
      const { name, title } = textsOf(tool)
      const isActive = tool.row.admitted !== undefined && tool.row.gone_at === undefined
      const known = entries.get(numbers.get(tool_id) ?? -1)
      if (known?.name === name && known.title === title && known.isActive === isActive) return
      remove(tool_id)
      const homes = nearServers(server).map((near) => homeOf(near, name))
      const keys: Key[] = [
        ...spellingKeys(name).map((key) => ({ of: 'name', key }) as const),
        ...(title === undefined ? [] : spellingKeys(title).map((key) => ({ of: 'title', key }) as const)),
        { of: 'home', key: homeOf(server, name) },
      ]
      const number = next++
      const entry: Entry = { tool_id, server, name, title, isActive, keys, near: new Map() }
      for (const { of, key } of keys)
        if (of !== 'home') for (const other of tables[of].at(key)) link(number, entry, other, of)
      for (const home of homes) for (const other of tables.home.at(home)) link(number, entry, other, 'server')
      entries.set(number, entry)
      numbers.set(tool_id, number)
      const isOwn = (other: number) => entries.get(other)?.server === server
      for (const { of, key } of keys) tables[of].add(key, number, isOwn)
    },
    remove,
    of(tool_id) {
      const near = entries.get(numbers.get(tool_id) ?? -1)?.near ?? new Map<number, LookAlike['by']>()
      return [...near].flatMap(([number, by]) => {
        const other = entries.get(number)
        return other === undefined ? [] : [{ tool_id: other.tool_id, by }]
      })
    },
  }
}

function textsOf({ row }: Tool): { readonly name: string; readonly title: string | undefined } {
  const { name, title, annotations } = inForce(row).definition
  const shown = title ?? annotations?.['title']
  return { name, title: typeof shown === 'string' ? shown : undefined }
}

const textOf = (entry: Entry, by: 'name' | 'title'): string => (by === 'name' ? entry.name : (entry.title ?? ''))

/** Two servers with similar names matter if both offer a tool of the same name. */
const homeOf = (server: string, name: string): string => `${server}__${plainOf(name)}`

type KeyTable = {
  at(key: number | string): readonly number[]
  add(key: number | string, number: number, isOwn: (other: number) => boolean): void
  remove(key: number | string, number: number): void
}

/** Which entries share a key. Most keys have one entry, and a list takes more memory than a number. */
function createKeyTable(): KeyTable {
  const shards = Array.from({ length: SHARDS }, () => new Map<number | string, number | readonly number[]>())
  const shardOf = (key: number | string) =>
    shards[(typeof key === 'number' ? key : key.length + key.charCodeAt(key.length >> 1)) % SHARDS] ?? new Map()
  const at = (key: number | string): readonly number[] => {
    const held = shardOf(key).get(key)
    return held === undefined ? [] : typeof held === 'number' ? [held] : held
  }
  return {
    at,
    add(key, number, isOwn) {
      const held = at(key)
      if (held.length === 0) shardOf(key).set(key, number)
      else if (held.filter(isOwn).length < MOST_SHARING) shardOf(key).set(key, [...held, number])
    },
    remove(key, number) {
      const [first, ...more] = at(key).filter((other) => other !== number)
      if (first === undefined) shardOf(key).delete(key)
      else shardOf(key).set(key, more.length === 0 ? first : [first, ...more])
    },
  }
}
