import { abortSignalOf } from '../ports/cancel.ts'
import { entriesIn, type Entry, type ListMethod, type ListCache } from './proxy-list-cache.ts'
import type { CallListeners, Offerings } from '../ports/upstream.ts'

export type ListDeps = {
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
  deps: ListDeps,
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
): Promise<readonly Entry[] | undefined> {
  const entries: Entry[] = []
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
