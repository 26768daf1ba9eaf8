import { callerIdentity } from '../../../kernel/contract/caller-identity.ts'
import { CHANGE_KINDS, STREAM_KINDS, type GateChange, type StreamKind } from '../../../kernel/contract/change.ts'
import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import { refuse } from '../../../kernel/contract/problems.ts'
import type { Changes } from '../../../kernel/changes/changes.ts'
import { maySeeOutput } from '../../../kernel/runs/may-see-run.ts'
import type { RunOutput } from '../../../kernel/runs/run-output.ts'
import { answerText } from '../../../kernel/sessions/answer-texts.ts'
import type { Reader } from '../../../kernel/sessions/enter-session.ts'
import { CALLERS } from '../access.ts'
import type { Door } from '../door.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { eventStream, OpenStreams, type EventOut } from '../event-stream.ts'
import { labelledStream } from '../label-events.ts'

export type StreamPorts = {
  readonly changes: Changes
  /** Intermediate output of performers, on this node. */
  readonly shown: Pick<RunOutput, 'onAny'>
}

/** Changes as server-sent events, for the console and for clients that would otherwise poll. */
export function streamEndpoints(k: StreamPorts): readonly Endpoint[] {
  const open = new OpenStreams()
  return [
    endpoint({
      at: 'GET /v1/stream',
      access: CALLERS,
      says: 'A stream of changes, as server-sent events (`kinds`, `Last-Event-ID`)',
      query: ['kinds', 'session'],
      media: 'text/event-stream',
      run(caller, { query, reader, door, header, isStillAllowed }) {
        const who = callerIdentity(caller)
        const kinds = kindsOf(query.kinds)
        if (kinds === undefined)
          return refuse('request.invalid', { paths: `kinds: some of ${STREAM_KINDS.join(', ')}, with commas between` })
        if (door.streams.stopping.aborted) return refuse('gate.stopping')
        if (open.isFull(who)) return refuse('stream.too_many', { limit: String(open.most) })
        const from = header('last-event-id')
        return eventStream({
          ...door.streams,
          isStillAllowed,
          onEnd: open.take(who),
          begin: (out) => sendChanges(k, door, reader, { kinds, from }, out),
        })
      },
    }),
  ]
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
function sendChanges(
  { changes, shown: output }: StreamPorts,
  door: Door,
  reader: Reader,
  { kinds, from }: Wanted,
  out: EventOut,
): () => void {
  const { caller } = reader
  const shown = labelledStream(door, reader, () => out.leave('ended'))
  const send = (change: GateChange) => {
    if (change.kind !== 'reset' && !kinds.has(change.kind)) return
    const { id, kind, ...data } = change
    out.send(kind, data, id)
  }
  const missed = from === undefined ? [] : changes.changesAfter(caller, from)
  if (missed === undefined) out.send('reset', { at: Date.now() }, changes.newest())
  // Without this id, a reader that has not seen a change yet could not resume.
  else if (missed.length === 0) out.send('hello', { at: Date.now() }, changes.newest(from))
  const stopListening = changes.onChange(caller, send, missed === undefined ? undefined : from)
  // No id, because these events are not stored and cannot be resumed.
  const stopShown = kinds.has('shown')
    ? output.onAny((run, key, news) => {
        if (!maySeeOutput(caller, run)) return
        const { run_id } = run
        const textsOf = (text: string) => answerText('a thread', text, { of_run: run_id })
        shown.piece(`${run_id} ${key}`, textIn(news), textsOf, () => out.send('shown', { run_id, key, news }))
      })
    : () => {}
  for (const change of missed ?? []) if (!out.isOver()) send(change)
  return () => {
    stopListening()
    stopShown()
  }
}
