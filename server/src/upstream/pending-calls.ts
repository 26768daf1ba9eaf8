import type { Progress, UpstreamAnswer, UpstreamCall } from '../commands/ports.ts'
import { problem, type ProblemCode } from '../contract/problems.ts'
import type { FrameId } from './frames.ts'
import { rationed } from './rationed.ts'

export type GivingUp = 'timeout' | 'aborted'

/** How one call leaves. */
export type Sending = {
  /** False when nothing was sent and nothing will be. */
  send(id: FrameId): boolean
  /**
   * Nobody waits for it any more. `unsent` is a promise that it never left, and never will; `about` goes into the problem.
   */
  cancel(id: FrameId, why: GivingUp): { readonly unsent: boolean; readonly about?: Readonly<Record<string, string>> }
}

export type PendingCalls = {
  run(call: UpstreamCall, sending: Sending): Promise<UpstreamAnswer>
  /** The server's answer; one that nobody waits for is counted. */
  answer(id: FrameId, answer: UpstreamAnswer): void
  /** What we found out ourselves; says nothing to a call that has its end already. */
  end(id: FrameId, answer: UpstreamAnswer): void
  endAll(answer: UpstreamAnswer): void
  /** Handed on while somebody waits. It never prolongs a call: its time is its time. */
  progress(id: FrameId, progress: Progress): void
  isWaiting(id: FrameId): boolean
  late(): number
}

type Waiting = {
  readonly settled: (answer: UpstreamAnswer) => void
  readonly onProgress: (progress: Progress) => void
}

/** The calls under way to one server, each with its own end: answer, timeout, abort, or the end of the wire. */
export function pendingCalls({ name: server, timeout_ms }: { name: string; timeout_ms: number }): PendingCalls {
  const waiting = new Map<FrameId, Waiting>()
  let started = 0
  let late = 0

  function run(call: UpstreamCall, { send, cancel }: Sending): Promise<UpstreamAnswer> {
    const id: FrameId = `s-${(started += 1)}`
    return new Promise((resolve) => {
      const forget = () => {
        waiting.delete(id)
        clearTimeout(timer)
        call.signal?.removeEventListener('abort', aborted)
      }
      const settled = (answer: UpstreamAnswer) => {
        forget()
        resolve(answer)
      }
      const giveUp = (why: GivingUp) => {
        const { unsent, about } = cancel(id, why)
        settled(
          unsent
            ? notSent(server, why === 'aborted' ? 'the caller gave up' : 'it could not be reached in time')
            : lost(server, 'tool.timeout', { why, timeout_ms: String(timeout_ms), ...about }),
        )
      }
      const aborted = () => giveUp('aborted')
      const timer = setTimeout(() => giveUp('timeout'), timeout_ms)
      call.signal?.addEventListener('abort', aborted)
      waiting.set(id, { settled, onProgress: rationed(call.onProgress) })
      if (call.signal?.aborted === true) return settled(notSent(server, 'the caller gave up'))
      try {
        if (!send(id)) settled(notSent(server, 'the server is gone'))
      } catch (error) {
        forget()
        throw error
      }
    })
  }

  return {
    run,
    answer(id, answer) {
      const call = waiting.get(id)
      if (call === undefined) late += 1
      else call.settled(answer)
    },
    end: (id, answer) => waiting.get(id)?.settled(answer),
    endAll(answer) {
      for (const { settled } of waiting.values()) settled(answer)
    },
    progress: (id, progress) => waiting.get(id)?.onProgress(progress),
    isWaiting: (id) => waiting.has(id),
    late: () => late,
  }
}

/** Nobody knows what became of it. */
export function lost(server: string, code: ProblemCode, about: Readonly<Record<string, string>> = {}): UpstreamAnswer {
  return { is: 'lost', problem: problem(code, { server, ...about }) }
}

/** A promise: it did not run. */
export function notSent(server: string, why: string): UpstreamAnswer {
  return { is: 'not_sent', problem: problem('tool.unavailable', { server, why }) }
}
