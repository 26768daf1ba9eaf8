/** Why a stream ended, in its last event. `too_slow`: read faster, or resume from the last event's id. */
export type CloseReason = 'stopping' | 'too_slow' | 'unauthorised' | 'ended'

export type EventStream = {
  /** Aborted when the gate stops: streams send a last event and end. */
  readonly stopping: AbortSignal
  readonly heartbeat_ms?: number | undefined
  /** How much may be queued for a slow reader, beyond the buffer of its connection. */
  readonly waiting_bytes?: number | undefined
  /** Checked with every heartbeat, because a key may be revoked while its stream is open. */
  readonly isStillAllowed: () => Promise<boolean>
  readonly onEnd: () => void
  /** Called once, when the stream is open. Returns a function that stops listening. */
  begin(out: EventOut): () => void
}

export type EventOut = {
  send(event: string, data: object, id?: string): void
  leave(reason: CloseReason): void
  readonly isOver: () => boolean
}

const HEARTBEAT_MS = 15_000
const WAITING_BYTES = 1_048_576
const RECONNECT_MS = 2_000

/** Server-sent events. INVARIANT: the queue for a slow reader is bounded; beyond that the stream ends with a reason. */
export function eventStream(options: EventStream): Response {
  const { stopping, heartbeat_ms = HEARTBEAT_MS, waiting_bytes = WAITING_BYTES } = options
  const bytes = new TextEncoder()
  let end = () => {}
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    let isOver = false
    let stopListening = () => {}
    const write = (text: string) => controller.enqueue(bytes.encode(text))
    const leave = (reason: CloseReason) => {
      if (isOver) return
      end()
      write(eventText('goodbye', { reason }))
      controller.close()
    }
    const send: EventOut['send'] = (event, data, id) => {
      if (isOver) return
      write(eventText(event, data, id))
      if ((controller.desiredSize ?? 0) <= 0) leave('too_slow')
    }
    const beatOnce = async () => {
      // If the key cannot be checked, the stream ends.
      const isAllowed = await options.isStillAllowed().catch(() => false)
      if (isOver) return
      if (!isAllowed) leave('unauthorised')
      else if ((controller.desiredSize ?? 0) > 0) write(': still here\n\n')
    }
    const beat = setInterval(() => void beatOnce(), heartbeat_ms)
    const onStopping = () => leave('stopping')
    stopping.addEventListener('abort', onStopping)
    end = () => {
      if (isOver) return
      isOver = true
      stopListening()
      clearInterval(beat)
      stopping.removeEventListener('abort', onStopping)
      options.onEnd()
    }
    write(`retry: ${RECONNECT_MS}\n\n`)
    stopListening = options.begin({ send, leave, isOver: () => isOver })
    if (isOver) stopListening()
  }
  const stream = new ReadableStream(
    { start, cancel: () => end() },
    new ByteLengthQueuingStrategy({ highWaterMark: waiting_bytes }),
  )
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}

function eventText(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

const MOST_PER_CALLER = 8
const MOST = 512

/** How many streams are open, in all and per caller. */
export class OpenStreams {
  readonly most = MOST_PER_CALLER
  #all = 0
  readonly #open = new Map<string, number>()

  isFull(who: string): boolean {
    return this.#all >= MOST || (this.#open.get(who) ?? 0) >= MOST_PER_CALLER
  }

  /** Returns a function that frees the slot. */
  take(who: string): () => void {
    this.#count(who, 1)
    return () => this.#count(who, -1)
  }

  #count(who: string, by: 1 | -1): void {
    this.#all += by
    const left = (this.#open.get(who) ?? 0) + by
    if (left === 0) this.#open.delete(who)
    else this.#open.set(who, left)
  }
}

/**
 * A body that is written piece by piece. `write` resolves when the reader has room for more. An error ends the connection, so that
 * an incomplete body is not taken for a complete one.
 */
export function writtenStream(
  headers: Readonly<Record<string, string>>,
  run: (write: (text: string) => Promise<void>) => Promise<void>,
): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const out = writable.getWriter()
  const bytes = new TextEncoder()
  run((text) => out.write(bytes.encode(text)))
    .then(
      () => out.close(),
      (error: unknown) => out.abort(error),
    )
    .catch(() => {})
  return new Response(readable, { headers })
}
