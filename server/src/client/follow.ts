import { eventsIn, type StreamEvent } from './events.ts'
import { isProblem, ProblemError, problemIn } from './problem-error.ts'
import { readAnswer, type Transport } from './transport.ts'

export type FollowOptions = {
  readonly signal?: AbortSignal
  /** Where to resume: the id of the last event that was processed. */
  readonly after?: string
  /** Called when the connection is established and when it is lost; until it is back, displayed data may be outdated. */
  readonly onState?: (state: 'open' | 'lost') => void
  /** A connection that is silent for longer is closed; the gate sends something at least every 15 seconds. */
  readonly silence_ms?: number
}

const SILENCE_MS = 40_000
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000]

/**
 * A stream that survives lost connections: it resumes after the last event it returned. If the gate no longer has the events after
 * that one, it sends `reset`: read everything again. Ends when it is aborted or the gate ends it; throws if the gate refuses.
 */
export async function* follow(
  transport: Transport,
  path: string,
  { signal, after, onState = () => {}, silence_ms = SILENCE_MS }: FollowOptions = {},
): AsyncGenerator<StreamEvent> {
  let last = after
  for (let losses = 0; !isAborted(signal);) {
    const connection = new Connection(signal, silence_ms)
    try {
      for await (const event of connection.events(transport, path, last)) {
        if (connection.isNew) onState('open')
        losses = 0
        if (event.id !== undefined) last = event.id
        const reason = event.kind === 'goodbye' ? event.data['reason'] : undefined
        if (reason === 'ended') return
        if (reason === 'unauthorised') throw new ProblemError(problemIn(401, { code: 'auth.required' }))
        if (event.kind !== '' && event.kind !== 'goodbye') yield event
      }
    } catch (error) {
      if (isProblem(error) && error.problem.status > 0 && error.problem.retry !== 'later') throw error
    } finally {
      connection.close()
    }
    if (isAborted(signal)) return
    onState('lost')
    await pause(WAITS_MS[Math.min(losses, WAITS_MS.length - 1)] ?? 0, signal)
    losses += 1
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** One connection, closed if it is silent for too long. */
class Connection {
  readonly #abort = new AbortController()
  readonly #end = () => this.#abort.abort()
  #silence: ReturnType<typeof setTimeout> | undefined
  readonly #outer: AbortSignal | undefined
  readonly #silence_ms: number
  #received = 0

  constructor(outer: AbortSignal | undefined, silence_ms: number) {
    this.#outer = outer
    this.#silence_ms = silence_ms
    outer?.addEventListener('abort', this.#end)
  }

  /** Whether only one event has arrived on it. */
  get isNew(): boolean {
    return this.#received === 1
  }

  async *events(transport: Transport, path: string, last: string | undefined): AsyncGenerator<StreamEvent> {
    this.#wait()
    const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) }
    const response = await transport('GET', path, { signal: this.#abort.signal, headers })
    if (!response.ok) await readAnswer(response)
    if (response.body === null) return
    for await (const event of eventsIn(response.body)) {
      this.#wait()
      this.#received += 1
      yield event
    }
  }

  close(): void {
    clearTimeout(this.#silence)
    this.#outer?.removeEventListener('abort', this.#end)
    this.#abort.abort()
  }

  #wait(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(this.#end, this.#silence_ms)
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
}
