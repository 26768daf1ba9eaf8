import { setTimeout as sleep } from 'node:timers/promises'
import { ProtocolError, type Client, type McpSubscription } from '@modelcontextprotocol/client'
import type { UpstreamReply } from '../../kernel/ports/upstream.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { backOff } from './breaker.ts'
import { notSent } from './pending-calls.ts'
import type { UpstreamTuning } from './tuning.ts'
import type { Watcher } from './watches.ts'
import type { Wire } from './wire.ts'

/** Before 2026-07-28: one request per resource. */
export function watchBySubscribing(wire: Wire): Watcher {
  const ask = (method: string, uri: string) =>
    wire.ask({ method, params: (_meta) => JSON.stringify({ uri, _meta }), read: (result) => result }, {})
  return {
    watch: (uri) => ask('resources/subscribe', uri),
    unwatch: (uri) => void ask('resources/unsubscribe', uri),
  }
}

export type WatchResourcesPorts = {
  readonly server: string
  readonly tuning: UpstreamTuning
  readonly isUsable: () => boolean
  /** It may have changed while nobody listened. */
  readonly onDoubt: (uri: string) => void
}

/**
 * Since 2026-07-28: one stream for all of them. Whenever the set changes, a new stream is opened before the old one is closed, so
 * that nothing is missed in between; a broken one is opened again.
 */
export function watchByListening(client: Client, { server, tuning, isUsable, onDoubt }: WatchResourcesPorts): Watcher {
  const wanted = new Set<string>()
  let open: McpSubscription | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let failures = 0

  const watchedUris = () => open?.honoredFilter.resourceSubscriptions ?? []
  const isAsWanted = () =>
    [...wanted].every((uri) => watchedUris().includes(uri)) && watchedUris().length <= wanted.size

  async function reopen(): Promise<void> {
    if (isAsWanted()) return
    const before = open
    open =
      wanted.size === 0
        ? undefined
        : await client.listen({ resourceSubscriptions: [...wanted] }, { timeout: tuning.start_timeout_ms })
    await before?.close()
    if (open !== undefined) void comeBack(open)
  }

  /** One after the other, each with the set that is wanted when it starts. */
  function inTurn(): Promise<void> {
    const mine = turn.then(reopen)
    turn = mine.catch(() => undefined)
    return mine
  }

  async function comeBack(stream: McpSubscription): Promise<void> {
    if ((await stream.closed) === 'local') return
    if (open === stream) open = undefined
    const isDown = () => open === undefined && wanted.size > 0 && isUsable()
    while (isDown()) {
      failures += 1
      await sleep(backOff(tuning.restart, failures), undefined, { ref: false })
      await inTurn().catch(() => undefined)
    }
    failures = 0
    for (const uri of watchedUris()) onDoubt(uri)
  }

  async function watch(uri: string): Promise<UpstreamReply<JsonObject>> {
    wanted.add(uri)
    try {
      await inTurn()
      if (watchedUris().includes(uri)) return { is: 'answered', result: {} }
      wanted.delete(uri)
      return { is: 'rejected', error: { code: -32602, message: 'the server does not report changes of this resource' } }
    } catch (error) {
      wanted.delete(uri)
      if (!(error instanceof ProtocolError)) return notSent(server, String(error))
      return { is: 'rejected', error: { code: error.code, message: error.message } }
    }
  }

  return {
    watch,
    unwatch(uri) {
      wanted.delete(uri)
      inTurn().catch(() => undefined)
    },
  }
}
