import type { McpPorts } from './mcp-ports.ts'
import type { WatchReply } from '../../kernel/proxy/proxy-watch.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { McpEventStream } from './event-stream.ts'
import { clientKeyOf } from './http-context.ts'

/** How long a client that lost its stream may take to come back before its subscriptions end. */
const RETURN_WITHIN_MS = 5 * 60_000

export type WatchedResources = {
  /** Before 2026-07-28: a subscription lasts until it is removed, its session ends, or the client has had no stream for a while. */
  subscribe(client: WatchingClient, uri: string, about: About): Promise<WatchReply>
  unsubscribe(client: WatchingClient, uri: string): void
  /** Attaches a stream on which this client gets its notifications. Returns a function that detaches it. */
  attach(client: WatchingClient, stream: McpEventStream): () => void
  endSession(session: string): void
  /** Since 2026-07-28: subscribes to those resources that can be watched, until it is stopped. */
  watchAll(caller: Caller, uris: readonly string[], about: About, onUpdated: (uri: string) => void): Promise<Watching>
}

/** Without a session, all connections with one key count as one client. */
export type WatchingClient = { readonly caller: Caller; readonly session: string | undefined }
type About = { readonly thread?: string; readonly trace: string }
export type Watching = { readonly uris: readonly string[]; stop(): void }

type Listener = {
  readonly session: string | undefined
  readonly watched: Map<string, Promise<WatchReply>>
  readonly streams: Set<McpEventStream>
  ending: NodeJS.Timeout | undefined
}

export const updated = (uri: string, meta?: JsonObject): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri, ...(meta === undefined ? {} : { _meta: meta }) },
  })

/** Which clients are notified about which resources. */
export function createWatchedResources(gate: McpPorts): WatchedResources {
  const listeners = new Map<string, Listener>()
  const keyOf = ({ caller, session }: WatchingClient) => clientKeyOf(caller, session)

  function listenerOf(client: WatchingClient): Listener {
    const known = listeners.get(keyOf(client))
    if (known !== undefined) return known
    const one: Listener = { session: client.session, watched: new Map(), streams: new Set(), ending: undefined }
    listeners.set(keyOf(client), one)
    return one
  }

  function stopAll(key: string, { watched, ending }: Listener): void {
    clearTimeout(ending)
    listeners.delete(key)
    for (const one of watched.values()) void one.then(stopOne)
  }

  /** Ends the subscriptions of a client that has had no stream for too long. */
  function scheduleEnd(key: string, listener: Listener): void {
    if (listeners.get(key) !== listener) return
    clearTimeout(listener.ending)
    listener.ending = undefined
    if (listener.streams.size > 0) return
    if (listener.watched.size === 0) listeners.delete(key)
    else listener.ending = setTimeout(() => stopAll(key, listener), RETURN_WITHIN_MS).unref()
  }

  return {
    async subscribe(client, uri, about) {
      const listener = listenerOf(client)
      const known = listener.watched.get(uri)
      const watching =
        known ??
        gate.proxy.watch(client.caller, { uri, ...about }, (changed) => {
          for (const stream of streamsToNotify(listener)) stream.send(updated(changed))
        })
      listener.watched.set(uri, watching)
      const answer = await watching
      if (answer.is !== 'watching' && listener.watched.get(uri) === watching) listener.watched.delete(uri)
      scheduleEnd(keyOf(client), listener)
      return answer
    },
    unsubscribe(client, uri) {
      const listener = listeners.get(keyOf(client))
      const watching = listener?.watched.get(uri)
      if (listener === undefined || watching === undefined) return
      listener.watched.delete(uri)
      void watching.then(stopOne)
      scheduleEnd(keyOf(client), listener)
    },
    attach(client, stream) {
      const listener = listenerOf(client)
      listener.streams.add(stream)
      scheduleEnd(keyOf(client), listener)
      return () => {
        listener.streams.delete(stream)
        scheduleEnd(keyOf(client), listener)
      }
    },
    endSession(session) {
      for (const [key, listener] of listeners) if (listener.session === session) stopAll(key, listener)
    },
    async watchAll(caller, uris, about, onUpdated) {
      const begun = await Promise.all(
        uris.map(async (uri) => ({ uri, answer: await gate.proxy.watch(caller, { uri, ...about }, onUpdated) })),
      )
      return {
        uris: begun.flatMap(({ uri, answer }) => (answer.is === 'watching' ? [uri] : [])),
        stop() {
          for (const { answer } of begun) stopOne(answer)
        },
      }
    },
  }
}

/**
 * The resources that a subscription asks for, if resources can be watched at all; undefined if they are not a list of addresses.
 */
export function urisIn(filter: Json | undefined, { resources }: JsonObject): readonly string[] | undefined {
  const uris = isJsonObject(filter) ? (filter['resourceSubscriptions'] ?? []) : []
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return undefined
  return isJsonObject(resources) && resources['subscribe'] === true ? [...new Set(uris)] : []
}

/**
 * Only a client's newest stream is used, because a repeated notification would count as a second change. Without a session, all
 * streams are used: they may belong to several clients.
 */
const streamsToNotify = ({ session, streams }: Listener): readonly McpEventStream[] =>
  session === undefined ? [...streams] : [...streams].slice(-1)

function stopOne(answer: WatchReply): void {
  if (answer.is === 'watching') answer.stop()
}
