import type { Progress, UpstreamReply } from '../../kernel/ports/upstream.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { Bug, problem, type KernelProblemCode } from '../../kernel/contract/problems.ts'
import { replyOf, type MessageId } from './messages.ts'
import type { OurRequest } from './our-request.ts'

export type AbandonReason = 'timeout' | 'aborted'
/** The problem of a call that was sent and given up: its effect is unknown either way. */
export const LOST_BY = { timeout: 'tool.timeout', aborted: 'tool.cancelled' } as const

/** How one request is sent. */
export type Sending = {
  /** False if nothing was sent and nothing will be. */
  send(id: MessageId): boolean
  /**
   * Nobody waits for it any more. `unsent`: guaranteed that it was never sent, and never will be; `about` goes into the problem.
   */
  cancel(
    id: MessageId,
    why: AbandonReason,
  ): { readonly unsent: boolean; readonly about?: Readonly<Record<string, string>> }
}

export type PendingCalls = {
  run<T>(request: OurRequest<T>, sending: Sending): Promise<UpstreamReply<T>>
  /** The server's answer, of so many characters; one that nobody waits for is counted. */
  answer(id: MessageId, message: JsonObject, length: number): void
  /** The same, for an unreadable answer. */
  spoil(id: MessageId, reply: NoResult): void
  /** What we found out ourselves; ignored if the request has already ended. */
  end(id: MessageId, reply: NoResult): void
  endAll(reply: NoResult): void
  /** Passed on while somebody waits. It never extends the timeout. */
  progress(id: MessageId, progress: Progress): void
  /** A log line; without an id it belongs to the only request there is, or to none. */
  log(id: MessageId | undefined, line: JsonObject): void
  isWaiting(id: MessageId): boolean
  late(): number
}

/** How a request ends without a result. */
export type NoResult = UpstreamReply<never>

/** Ids are places in the list plus a multiple of this. More requests than that are never in progress. */
const STRIDE = 65_536

/** A place in the list of requests in progress; used again when its request has ended. */
type Place = {
  readonly number: number
  /** How many requests used this place before. */
  turn: number
  /** The id of the request that uses this place now. */
  id: MessageId | undefined
  request: OurRequest<unknown> | undefined
  sending: Sending | undefined
  resolve: ((reply: UpstreamReply<never>) => void) | undefined
  deadline: number
  /** Created with the first message. */
  onProgress: ((progress: Progress) => void) | undefined
  onLog: ((line: JsonObject) => void) | undefined
  readonly aborted: () => void
}

/**
 * The requests in progress to one server, each with its own end: answer, timeout, abort, or the end of the wire. They are stored in
 * a list of places. One timer serves all of them, because all have the same timeout.
 * INVARIANT: the id of a request is never used again, so a late answer is never taken for the answer to the request that now uses
 * the same place (law in pending-calls.test.ts).
 */
export function pendingCalls({ name: server, timeout_ms }: { name: string; timeout_ms: number }): PendingCalls {
  const places: Place[] = []
  const free: Place[] = []
  let late = 0
  let timer: NodeJS.Timeout | undefined

  function newPlace(): Place {
    const place: Place = {
      number: places.length + 1,
      turn: -1,
      id: undefined,
      request: undefined,
      sending: undefined,
      resolve: undefined,
      deadline: 0,
      onProgress: undefined,
      onLog: undefined,
      aborted: () => giveUp(place, 'aborted'),
    }
    if (place.number >= STRIDE) throw new Bug('too many requests to one server at once')
    places.push(place)
    return place
  }

  /** The place of a request that is still in progress. */
  function placeOf(id: MessageId): Place | undefined {
    const place = places[(Number(id.slice(2)) % STRIDE) - 1]
    return place?.id === id ? place : undefined
  }

  function leave(place: Place): void {
    place.request?.signal?.removeEventListener('abort', place.aborted)
    place.id = undefined
    place.request = undefined
    place.sending = undefined
    place.resolve = undefined
    place.onProgress = undefined
    place.onLog = undefined
    free.push(place)
  }

  function settle(place: Place, reply: UpstreamReply<unknown>): void {
    const { resolve } = place
    leave(place)
    resolve?.(reply as UpstreamReply<never>)
  }

  function giveUp(place: Place, why: AbandonReason): void {
    const { id, sending } = place
    if (id === undefined || sending === undefined) return
    const { unsent, about } = sending.cancel(id, why)
    settle(
      place,
      unsent
        ? notSent(server, why === 'aborted' ? 'the caller cancelled' : 'it could not be reached in time')
        : lost(server, LOST_BY[why], { why, timeout_ms: String(timeout_ms), ...about }),
    )
  }

  /** Ends what has waited for too long, and sets the timer for the next one. */
  function sweep(): void {
    timer = undefined
    const now = performance.now()
    let next = Infinity
    for (const place of places) {
      if (place.id === undefined) continue
      if (place.deadline <= now) giveUp(place, 'timeout')
      else next = Math.min(next, place.deadline)
    }
    if (next < Infinity) timer ??= setTimeout(sweep, Math.ceil(next - now)).unref()
  }

  function run<T>(request: OurRequest<T>, sending: Sending): Promise<UpstreamReply<T>> {
    if (request.signal?.aborted === true) return Promise.resolve(notSent(server, 'the caller cancelled'))
    return new Promise((resolve) => {
      const place = free.pop() ?? newPlace()
      place.turn += 1
      const id: MessageId = `s-${place.turn * STRIDE + place.number}`
      place.id = id
      place.request = request
      place.sending = sending
      place.resolve = resolve
      place.deadline = performance.now() + timeout_ms
      timer ??= setTimeout(sweep, timeout_ms).unref()
      request.signal?.addEventListener('abort', place.aborted)
      try {
        if (!sending.send(id)) settle(place, notSent(server, 'the server was stopped'))
      } catch (error) {
        leave(place)
        throw error
      }
    })
  }

  return {
    run,
    answer(id, message, length) {
      const place = placeOf(id)
      if (place?.request === undefined) late += 1
      else settle(place, replyOf(server, message, place.request, length))
    },
    spoil(id, reply) {
      const place = placeOf(id)
      if (place === undefined) late += 1
      else settle(place, reply)
    },
    end(id, reply) {
      const place = placeOf(id)
      if (place !== undefined) settle(place, reply)
    },
    endAll(reply) {
      for (const place of places) if (place.id !== undefined) settle(place, reply)
    },
    progress(id, progress) {
      const place = placeOf(id)
      if (place?.request?.onProgress === undefined) return
      place.onProgress ??= rateLimited(place.request.onProgress)
      place.onProgress(progress)
    },
    log(id, line) {
      const place = id === undefined ? onlyOne(places) : placeOf(id)
      if (place?.request?.onLog === undefined) return
      place.onLog ??= rateLimited(place.request.onLog)
      // The logger is prefixed with the server's name: a bare name, such as the gate's own, would be believed.
      const { logger } = line
      place.onLog({ ...line, logger: typeof logger === 'string' ? `${server}/${logger}` : server })
    },
    isWaiting: (id) => placeOf(id) !== undefined,
    late: () => late,
  }
}

/** The place of the only request in progress. */
function onlyOne(places: readonly Place[]): Place | undefined {
  const taken = places.filter(({ id }) => id !== undefined)
  return taken.length === 1 ? taken[0] : undefined
}

/** The outcome is unknown. */
export function lost(server: string, code: KernelProblemCode, about: Readonly<Record<string, string>> = {}): NoResult {
  return { is: 'lost', problem: problem(code, { server, ...about }) }
}

/** It did not run, because somebody has to log in first. */
export function loginNeeded(server: string, why: string): NoResult {
  return { is: 'not_sent', problem: problem('tool.login_needed', { server, why }) }
}

export const LEASE_EXPIRED = 'the lease of this node has expired: another node may have taken over the call'

/** Guaranteed not to have run. */
export function notSent(server: string, why: string): NoResult {
  return { is: 'not_sent', problem: problem('tool.unavailable', { server, why }) }
}

/** This many at once, and this many per second afterwards. */
const BURST = 100
const PER_SECOND = 20

/**
 * Wraps a listener so that it is called at a limited rate. What exceeds it is dropped, not stored, so that a flood costs nothing.
 */
export function rateLimited<T>(listener: ((said: T) => void) | undefined, now = () => performance.now()) {
  let left = BURST
  let since = now()
  return (said: T): void => {
    if (listener === undefined) return
    const at = now()
    left = Math.min(BURST, left + ((at - since) / 1_000) * PER_SECOND)
    since = at
    if (left < 1) return
    left -= 1
    listener(said)
  }
}
