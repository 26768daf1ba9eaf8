import type { Progress, UpstreamReply } from '../commands/ports/upstream.ts'
import type { JsonObject } from '../contract/json.ts'
import { problem, type ProblemCode } from '../contract/problems.ts'
import { replyOf, type FrameId } from './frames.ts'
import type { OurRequest } from './our-request.ts'
import { rationed } from './rationed.ts'

export type GivingUp = 'timeout' | 'aborted'
/** The problem of a call that was sent and given up: its effect is unknown either way. */
export const LOST_BY = { timeout: 'tool.timeout', aborted: 'tool.cancelled' } as const

/** How one request is sent. */
export type Sending = {
  /** False if nothing was sent and nothing will be. */
  send(id: FrameId): boolean
  /**
   * Nobody waits for it any more. `unsent`: guaranteed that it was never sent, and never will be; `about` goes into the problem.
   */
  cancel(id: FrameId, why: GivingUp): { readonly unsent: boolean; readonly about?: Readonly<Record<string, string>> }
}

export type PendingCalls = {
  run<T>(request: OurRequest<T>, sending: Sending): Promise<UpstreamReply<T>>
  /** The server's answer; one that nobody waits for is counted. */
  answer(id: FrameId, message: JsonObject): void
  /** The same, for an unreadable answer. */
  spoil(id: FrameId, reply: NoResult): void
  /** What we found out ourselves; ignored if the request has already ended. */
  end(id: FrameId, reply: NoResult): void
  endAll(reply: NoResult): void
  /** Passed on while somebody waits. It never extends the timeout. */
  progress(id: FrameId, progress: Progress): void
  /** A log line; without an id it belongs to the only request there is, or to none. */
  log(id: FrameId | undefined, line: JsonObject): void
  isWaiting(id: FrameId): boolean
  late(): number
}

/** How a request ends without a result. */
export type NoResult = UpstreamReply<never>

type Waiting = {
  readonly hear: (message: JsonObject) => void
  readonly end: (reply: NoResult) => void
  readonly onProgress: (progress: Progress) => void
  readonly onLog: (line: JsonObject) => void
}

/** The requests in progress to one server, each with its own end: answer, timeout, abort, or the end of the wire. */
export function pendingCalls({ name: server, timeout_ms }: { name: string; timeout_ms: number }): PendingCalls {
  const waiting = new Map<FrameId, Waiting>()
  let started = 0
  let late = 0

  function run<T>(request: OurRequest<T>, { send, cancel }: Sending): Promise<UpstreamReply<T>> {
    const id: FrameId = `s-${(started += 1)}`
    return new Promise((resolve) => {
      const forget = () => {
        waiting.delete(id)
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', aborted)
      }
      const settled = (reply: UpstreamReply<T>) => {
        forget()
        resolve(reply)
      }
      const giveUp = (why: GivingUp) => {
        const { unsent, about } = cancel(id, why)
        settled(
          unsent
            ? notSent(server, why === 'aborted' ? 'the caller cancelled' : 'it could not be reached in time')
            : lost(server, LOST_BY[why], { why, timeout_ms: String(timeout_ms), ...about }),
        )
      }
      const aborted = () => giveUp('aborted')
      const timer = setTimeout(() => giveUp('timeout'), timeout_ms)
      request.signal?.addEventListener('abort', aborted)
      waiting.set(id, {
        hear: (message) => settled(replyOf(server, message, request.read)),
        end: settled,
        onProgress: rationed(request.onProgress),
        onLog: rationed(request.onLog),
      })
      if (request.signal?.aborted === true) return settled(notSent(server, 'the caller cancelled'))
      try {
        if (!send(id)) settled(notSent(server, 'the server was stopped'))
      } catch (error) {
        forget()
        throw error
      }
    })
  }

  return {
    run,
    answer(id, message) {
      const request = waiting.get(id)
      if (request === undefined) late += 1
      else request.hear(message)
    },
    spoil(id, reply) {
      const request = waiting.get(id)
      if (request === undefined) late += 1
      else request.end(reply)
    },
    end: (id, reply) => waiting.get(id)?.end(reply),
    endAll(reply) {
      for (const { end } of waiting.values()) end(reply)
    },
    progress: (id, progress) => waiting.get(id)?.onProgress(progress),
    log(id, line) {
      const [only] = waiting.size === 1 ? waiting.values() : []
      const request = id === undefined ? only : waiting.get(id)
      // In its own name: another one, such as the gate's, would be believed.
      const { logger } = line
      request?.onLog({ ...line, logger: typeof logger === 'string' ? `${server}/${logger}` : server })
    },
    isWaiting: (id) => waiting.has(id),
    late: () => late,
  }
}

/** The outcome is unknown. */
export function lost(server: string, code: ProblemCode, about: Readonly<Record<string, string>> = {}): NoResult {
  return { is: 'lost', problem: problem(code, { server, ...about }) }
}

/** It did not run, because somebody has to log in first. */
export function loginNeeded(server: string, why: string): NoResult {
  return { is: 'not_sent', problem: problem('tool.login_needed', { server, why }) }
}

export const LEASE_OVER = 'the lease of this node is over: another node may have taken the call over'

/** Guaranteed not to have run. */
export function notSent(server: string, why: string): NoResult {
  return { is: 'not_sent', problem: problem('tool.unavailable', { server, why }) }
}
