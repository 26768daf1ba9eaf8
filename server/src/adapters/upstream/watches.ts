import type { UpstreamReply, Watched } from '../../kernel/ports/upstream.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'

/** Starts and stops watching a resource on one connection. */
export type Watcher = {
  watch(uri: string): Promise<UpstreamReply<JsonObject>>
  unwatch(uri: string): void
}

export type Watches = {
  /** Watches a resource until it is stopped. */
  watch(uri: string): Promise<Watched>
  /** What a new connection has to watch. */
  standing(): readonly string[]
}

type Watch = { watchers: number; is_standing: boolean; readonly begun: Promise<UpstreamReply<JsonObject>> }

/** INVARIANT: a server gets one request per resource, however many callers watch it, and one when the last of them stops. */
export function openWatches({ watch: begin, unwatch }: Watcher): Watches {
  const watched = new Map<string, Watch>()

  function begun(uri: string): Watch {
    const one: Watch = { watchers: 0, is_standing: false, begun: begin(uri) }
    watched.set(uri, one)
    return one
  }

  function leave(uri: string, one: Watch): void {
    one.watchers -= 1
    if (one.watchers > 0) return
    watched.delete(uri)
    if (one.is_standing) unwatch(uri)
  }

  return {
    async watch(uri) {
      const one = watched.get(uri) ?? begun(uri)
      one.watchers += 1
      const reply = await one.begun
      if (reply.is !== 'answered') {
        leave(uri, one)
        return reply
      }
      one.is_standing = true
      let is_stopped = false
      return {
        is: 'watching',
        stop() {
          if (!is_stopped) leave(uri, one)
          is_stopped = true
        },
      }
    },
    standing: () => [...watched].flatMap(([uri, { is_standing }]) => (is_standing ? [uri] : [])),
  }
}
