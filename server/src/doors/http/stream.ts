import type { Gate } from '../../commands/gate.ts'
import type { Caller } from '../../contract/caller.ts'
import { CHANGE_KINDS, type ChangeKind, type GateChange } from '../../contract/change.ts'
import { problem } from '../../contract/problems.ts'
import { problemResponse } from '../entrance/problem.ts'
import { callerIdentity } from '../../contract/caller-identity.ts'
import type { App } from './door.ts'
import { CALLERS, route } from './route.ts'

export type StreamOptions = {
  /** Aborted when the gate stops: streams say goodbye and end. */
  readonly stopping: AbortSignal
  readonly heartbeat_ms?: number
  /** What may wait for a slow reader, beyond what its connection buffers. */
  readonly waiting_bytes?: number
}

const HEARTBEAT_MS = 15_000
const MOST_PER_CALLER = 8
const MOST = 512
const WAITING_BYTES = 1_048_576
const RECONNECT_MS = 2_000

/** Why a stream ends, as its last event says it. `too_slow`: read faster, or resume from the last event's id. */
type Goodbye = 'stopping' | 'too_slow' | 'unauthorised'

/** What changes, as server-sent events: for the console, and for whoever would otherwise ask again and again. */
export function streamRoute(app: App, gate: Gate, options: StreamOptions): void {
  const { stopping, heartbeat_ms = HEARTBEAT_MS, waiting_bytes = WAITING_BYTES } = options
  const open = new Map<string, number>()
  let all = 0
  const count = (id: string, by: 1 | -1) => {
    all += by
    const left = (open.get(id) ?? 0) + by
    if (left === 0) open.delete(id)
    else open.set(id, left)
  }

  app.openapi(
    route({
      method: 'get',
      path: '/v1/stream',
      query: ['kinds'],
      media: 'text/event-stream',
      access: CALLERS,
      summary: 'What changes, as server-sent events (`kinds`, `Last-Event-ID`)',
    }),
    (c) => {
      const caller = c.get('caller')
      const who = callerIdentity(caller)
      const kinds = kindsOf(c.req.query('kinds'))
      if (kinds === undefined) {
        const paths = `kinds: some of ${CHANGE_KINDS.join(', ')}, with commas between`
        return problemResponse(problem('request.invalid', { paths }), c.get('trace'))
      }
      if (stopping.aborted) return problemResponse(problem('gate.stopping'), c.get('trace'))
      if (all >= MOST || (open.get(who) ?? 0) >= MOST_PER_CALLER)
        return problemResponse(problem('stream.too_many', { limit: String(MOST_PER_CALLER) }), c.get('trace'))
      count(who, 1)
      const stream = changeStream(gate, caller, {
        kinds,
        from: c.req.header('last-event-id'),
        stopping,
        heartbeat_ms,
        waiting_bytes,
        // A key may be revoked while its stream is open.
        isStillWelcome: async () => (await c.get('doorman')({ ...c.env, header: (name) => c.req.header(name) })).ok,
        onEnd: () => count(who, -1),
      })
      return new Response(stream, {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      })
    },
  )
}

/** Undefined when one of the words is no kind of change. */
function kindsOf(words: string | undefined): ReadonlySet<ChangeKind> | undefined {
  if (words === undefined) return new Set(CHANGE_KINDS)
  const known: readonly string[] = CHANGE_KINDS
  const asked = words.split(',')
  return asked.every((word) => known.includes(word)) ? new Set(asked as ChangeKind[]) : undefined
}

type Listening = {
  readonly kinds: ReadonlySet<ChangeKind>
  readonly from: string | undefined
  readonly stopping: AbortSignal
  readonly heartbeat_ms: number
  readonly waiting_bytes: number
  readonly isStillWelcome: () => Promise<boolean>
  readonly onEnd: () => void
}

/**
 * INVARIANT: every change after `from` is in the stream once, or a `reset` says that some are not.
 * INVARIANT: what waits for a slow reader is bounded; beyond that the stream ends and says why.
 */
function changeStream(gate: Gate, caller: Caller, listening: Listening): ReadableStream<Uint8Array> {
  const { kinds, from, stopping, heartbeat_ms } = listening
  const bytes = new TextEncoder()
  let end = () => {}
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const write = (text: string) => controller.enqueue(bytes.encode(text))
    const leave = (reason: Goodbye) => {
      end()
      write(eventOf('goodbye', { reason }))
      controller.close()
    }
    const tell = (change: GateChange) => {
      if (change.kind !== 'reset' && !kinds.has(change.kind)) return
      const { id, kind, ...data } = change
      write(eventOf(kind, data, id))
      if ((controller.desiredSize ?? 0) <= 0) leave('too_slow')
    }
    const missed = from === undefined ? [] : gate.changes.changesAfter(caller, from)
    write(`retry: ${RECONNECT_MS}\n\n`)
    if (missed === undefined) write(eventOf('reset', { at: Date.now() }, gate.changes.newest()))
    // Without an id of its own a reader that never saw a change could not resume.
    else if (missed.length === 0) write(eventOf('hello', { at: Date.now() }, gate.changes.newest()))
    const stopHearing = gate.changes.onChange(caller, tell)
    const beatOnce = async () => {
      // Who cannot be asked about is not known, and unknown means no.
      const isWelcome = await listening.isStillWelcome().catch(() => false)
      if (ended) return
      if (!isWelcome) leave('unauthorised')
      else if ((controller.desiredSize ?? 0) > 0) write(': still here\n\n')
    }
    const beat = setInterval(() => void beatOnce(), heartbeat_ms)
    const onStopping = () => leave('stopping')
    stopping.addEventListener('abort', onStopping)
    let ended = false
    end = () => {
      if (ended) return
      ended = true
      stopHearing()
      clearInterval(beat)
      stopping.removeEventListener('abort', onStopping)
      listening.onEnd()
    }
    for (const change of missed ?? []) if (!ended) tell(change)
  }
  return new ReadableStream(
    { start, cancel: () => end() },
    new ByteLengthQueuingStrategy({ highWaterMark: listening.waiting_bytes }),
  )
}

function eventOf(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
