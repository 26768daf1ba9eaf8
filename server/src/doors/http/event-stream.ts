/** Why a stream ends, as its last event says it. `too_slow`: read faster, or resume from the last event's id. */
export type Goodbye = 'stopping' | 'too_slow' | 'unauthorised' | 'ended'

export type EventStream = {
  /** Aborted when the gate stops: streams say goodbye and end. */
  readonly stopping: AbortSignal
  readonly heartbeat_ms?: number | undefined
  /** What may wait for a slow reader, beyond what its connection buffers. */
  readonly waiting_bytes?: number | undefined
  /** Asked with every heartbeat: a key may be revoked while its stream is open. */
  readonly isStillWelcome: () => Promise<boolean>
  readonly onEnd: () => void
  /** Called once, when the stream is open. Returns how to stop listening. */
  begin(out: EventOut): () => void
}

export type EventOut = {
  tell(event: string, data: object, id?: string): void
  leave(reason: Goodbye): void
  readonly isOver: () => boolean
}

const HEARTBEAT_MS = 15_000
const WAITING_BYTES = 1_048_576
const RECONNECT_MS = 2_000

/** Server-sent events. INVARIANT: what waits for a slow reader is bounded; beyond that the stream ends and says why. */
export function eventStream(options: EventStream): Response {
  const { stopping, heartbeat_ms = HEARTBEAT_MS, waiting_bytes = WAITING_BYTES } = options
  const bytes = new TextEncoder()
  let end = () => {}
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    let isOver = false
    let stopListening = () => {}
    const write = (text: string) => controller.enqueue(bytes.encode(text))
    const leave = (reason: Goodbye) => {
      if (isOver) return
      end()
      write(eventText('goodbye', { reason }))
      controller.close()
    }
    const tell: EventOut['tell'] = (event, data, id) => {
      if (isOver) return
      write(eventText(event, data, id))
      if ((controller.desiredSize ?? 0) <= 0) leave('too_slow')
    }
    const beatOnce = async () => {
      // Who cannot be asked about is not known, and unknown means no.
      const isWelcome = await options.isStillWelcome().catch(() => false)
      if (isOver) return
      if (!isWelcome) leave('unauthorised')
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
    stopListening = options.begin({ tell, leave, isOver: () => isOver })
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

  /** Returns how to give the place back. */
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
