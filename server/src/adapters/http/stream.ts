import type { Gate } from '../../main/gate.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import { textsInEvent } from '../../kernel/sessions/answer-texts.ts'
import { CHANGE_KINDS, STREAM_KINDS, type GateChange, type StreamKind } from '../../kernel/contract/change.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { problemResponse } from './problem.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { App } from './door.ts'
import { labelledStream } from './label-events.ts'
import { readerOf } from './query.ts'
import { CALLERS } from './access.ts'
import { route, stillAllowed } from './route.ts'
import { eventStream, OpenStreams, type EventOut, type EventStream } from './event-stream.ts'

export type StreamOptions = Pick<EventStream, 'stopping' | 'heartbeat_ms' | 'waiting_bytes'>

/** Changes as server-sent events, for the console and for clients that would otherwise poll. */
export function streamRoute(app: App, gate: Gate, options: StreamOptions): void {
  const open = new OpenStreams()
  app.openapi(
    route({
      method: 'get',
      path: '/v1/stream',
      query: ['kinds', 'session'],
      media: 'text/event-stream',
      access: CALLERS,
      summary: 'A stream of changes, as server-sent events (`kinds`, `Last-Event-ID`)',
    }),
    (c) => {
      const caller = c.get('caller')
      const who = callerIdentity(caller)
      const kinds = kindsOf(c.req.query('kinds'))
      if (kinds === undefined) {
        const paths = `kinds: some of ${STREAM_KINDS.join(', ')}, with commas between`
        return problemResponse(problem('request.invalid', { paths }), c.get('trace'))
      }
      if (options.stopping.aborted) return problemResponse(problem('gate.stopping'), c.get('trace'))
      if (open.isFull(who))
        return problemResponse(problem('stream.too_many', { limit: String(open.most) }), c.get('trace'))
      const from = c.req.header('last-event-id')
      return eventStream({
        ...options,
        isStillAllowed: stillAllowed(c),
        onEnd: open.take(who),
        begin: (out) => sendChanges(gate, readerOf(c), { kinds, from }, out),
      })
    },
  )
}

/** Undefined if one of the words is not a kind of change. */
function kindsOf(words: string | undefined): ReadonlySet<StreamKind> | undefined {
  if (words === undefined) return new Set(CHANGE_KINDS)
  const known: readonly string[] = STREAM_KINDS
  const asked = words.split(',')
  return asked.every((word) => known.includes(word)) ? new Set(asked as StreamKind[]) : undefined
}

/** The part of an answer that a run has written so far. */
const textIn = (news: Json): string =>
  isJsonObject(news) && typeof news['text'] === 'string' ? news['text'] : JSON.stringify(news)

type Wanted = { readonly kinds: ReadonlySet<StreamKind>; readonly from: string | undefined }

/** INVARIANT: every change after `from` is in the stream once, or a `reset` says that some are not. */
function sendChanges(gate: Gate, reader: Reader, { kinds, from }: Wanted, out: EventOut): () => void {
  const { caller } = reader
  const shown = labelledStream(gate, reader, () => out.leave('ended'))
  const send = (change: GateChange) => {
    if (change.kind !== 'reset' && !kinds.has(change.kind)) return
    const { id, kind, ...data } = change
    out.send(kind, data, id)
  }
  const missed = from === undefined ? [] : gate.changes.changesAfter(caller, from)
  if (missed === undefined) out.send('reset', { at: Date.now() }, gate.changes.newest())
  // Without this id, a reader that has not seen a change yet could not resume.
  else if (missed.length === 0) out.send('hello', { at: Date.now() }, gate.changes.newest(from))
  const stopListening = gate.changes.onChange(caller, send, missed === undefined ? undefined : from)
  // No id, because these events are not stored and cannot be resumed.
  const stopShown = kinds.has('shown')
    ? gate.runs.onShown(caller, (run_id, key, news) => {
        const textsOf = (text: string) => textsInEvent(run_id, { data: { text } })
        shown.piece(`${run_id} ${key}`, textIn(news), textsOf, () => out.send('shown', { run_id, key, news }))
      })
    : () => {}
  for (const change of missed ?? []) if (!out.isOver()) send(change)
  return () => {
    stopListening()
    stopShown()
  }
}
