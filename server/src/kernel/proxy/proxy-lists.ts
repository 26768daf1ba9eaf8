import { abortSignalOf } from '../ports/cancel.ts'
import type { CallListeners, Offerings } from '../ports/upstream.ts'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import { toolIdOf } from '../catalogue/definition.ts'
import { matchesGlob, parseGlob, type Glob } from '../policy/glob.ts'
import type { Clock, Digest } from '../ports/runtime.ts'

export type ListPorts = {
  readonly offerings: Offerings
  readonly after: (ms: number, callback: () => void) => () => void
}

/** How long a list waits for its slowest server; for a slower one the last known entries are used. */
const PATIENCE_MS = 5_000
const MOST_PAGES = 1_000
const MOST_ENTRIES = 50_000

/**
 * Reads a list of several servers, independently, into the cache. Never rejects.
 * INVARIANT: a server that is slow, down or gives invalid answers does not affect the entries of others.
 */
export async function listServers(
  deps: ListPorts,
  cache: ListCache,
  servers: readonly string[],
  method: ListMethod,
  { signal, trace }: Pick<CallListeners, 'signal'> & { readonly trace: string },
): Promise<void> {
  const giveUp = new AbortController()
  const stop = deps.after(PATIENCE_MS, () => giveUp.abort())
  const patience = signal === undefined ? giveUp.signal : AbortSignal.any([abortSignalOf(signal), giveUp.signal])
  await Promise.all(
    servers.map(async (server) => {
      cache.put(server, method, await pagesOf(deps.offerings, server, method, { signal: patience, trace }))
    }),
  )
  stop()
}

async function pagesOf(
  offerings: Offerings,
  server: string,
  method: ListMethod,
  how: { readonly signal: AbortSignal; readonly trace: string },
): Promise<readonly ListEntry[] | undefined> {
  const entries: ListEntry[] = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; seen.size < MOST_PAGES && entries.length <= MOST_ENTRIES;) {
    const params = cursor === undefined ? {} : { cursor }
    const reply = await offerings.ask({ server, method, params, ...how })
    const page = reply.is === 'answered' ? entriesIn(reply.result, method) : undefined
    if (reply.is !== 'answered' || page === undefined) return undefined
    entries.push(...page)
    const next = reply.result['nextCursor']
    if (typeof next !== 'string' || next === '') return entries
    if (seen.has(next)) return undefined
    seen.add(next)
    cursor = next
  }
  return undefined
}

/** The methods that list something, with the field that contains the list and the one that names an entry. */
export const LISTS = {
  'resources/list': { field: 'resources', name: 'uri' },
  'resources/templates/list': { field: 'resourceTemplates', name: 'uriTemplate' },
  'prompts/list': { field: 'prompts', name: 'name' },
} as const
export type ListMethod = keyof typeof LISTS

/** An entry of a list, with its name. */
export type ListEntry = { readonly name: string; readonly said: JsonObject }

type Listed = { readonly entries: readonly ListEntry[]; readonly at: number; readonly stale: boolean }

export type ListCache = {
  /** What the server listed; if undefined the listing failed, and the previous one is kept. */
  put(server: string, method: ListMethod, entries: readonly ListEntry[] | undefined): void
  /** The server says that this list has changed. */
  doubt(server: string, method: ListMethod): void
  /** Whether one of these servers may have listed something else in the meantime. */
  isWorthAsking(servers: readonly string[], method: ListMethod): boolean
  /** Entries of several servers as one list; if two have the same name, only the first is included. */
  merged(servers: readonly string[], method: ListMethod): readonly JsonObject[]
  /** The server of a resource: the one that listed it, otherwise one with a matching template. */
  ownerOf(servers: readonly string[], uri: string): string | undefined
  /** Which prompt of which server has this name here. */
  promptOf(servers: readonly string[], id: string): { readonly server: string; readonly name: string } | undefined
}

/** A list that was just read is not read again for every unknown name. */
const FRESH_MS = 5_000

/** What servers listed last, to find the server for a name. */
export function openListCache({ clock, digest }: { readonly clock: Clock; readonly digest: Digest }): ListCache {
  const listed = new Map<string, Listed>()
  const globs = new Map<string, Glob>()
  const keyOf = (server: string, method: ListMethod) => `${server} ${method}`
  const entriesOf = (server: string, method: ListMethod) => listed.get(keyOf(server, method))?.entries ?? []

  function has(server: string, method: ListMethod, name: string): boolean {
    return entriesOf(server, method).some((entry) => entry.name === name)
  }

  function fits(server: string, uri: string): boolean {
    return entriesOf(server, 'resources/templates/list').some(({ name: template }) => {
      const glob = globs.get(template) ?? parseGlob(template.replaceAll(/\{[^{}]*\}/g, '*'))
      globs.set(template, glob)
      return template === uri || matchesGlob(glob, uri)
    })
  }

  return {
    put(server, method, entries) {
      const kept = entries ?? entriesOf(server, method)
      listed.set(keyOf(server, method), { entries: kept, at: clock(), stale: false })
      globs.clear()
    },
    doubt(server, method) {
      const was = listed.get(keyOf(server, method))
      if (was !== undefined) listed.set(keyOf(server, method), { ...was, stale: true })
    },
    isWorthAsking: (servers, method) =>
      servers.some((server) => {
        const was = listed.get(keyOf(server, method))
        return was === undefined || was.stale || clock() - was.at > FRESH_MS
      }),
    merged(servers, method) {
      const entries = new Map<string, JsonObject>()
      for (const server of servers)
        for (const { name, said } of entriesOf(server, method)) {
          const id = method === 'prompts/list' ? toolIdOf(server, name, digest) : name
          if (!entries.has(id)) entries.set(id, { ...said, [LISTS[method].name]: id })
        }
      return [...entries.values()]
    },
    ownerOf: (servers, uri) =>
      servers.find((server) => has(server, 'resources/list', uri)) ?? servers.find((server) => fits(server, uri)),
    promptOf(servers, id) {
      for (const server of servers)
        for (const { name } of entriesOf(server, 'prompts/list'))
          if (toolIdOf(server, name, digest) === id) return { server, name }
      return undefined
    },
  }
}

/** The entries of one page that have a name; undefined if it is not such a page. */
export function entriesIn(page: JsonObject, method: ListMethod): readonly ListEntry[] | undefined {
  const list = page[LISTS[method].field]
  return Array.isArray(list) ? list.flatMap((said: Json) => entryOf(said, LISTS[method].name)) : undefined
}

function entryOf(said: Json, field: string): readonly ListEntry[] {
  const name = isJsonObject(said) ? said[field] : undefined
  return isJsonObject(said) && typeof name === 'string' && name !== '' ? [{ name, said }] : []
}
