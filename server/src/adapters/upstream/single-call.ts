import type { ToolReply, UpstreamCall } from '../../kernel/ports/upstream.ts'
import { LOST_BY, lost, notSent, type AbandonReason } from './pending-calls.ts'

/** How a call with its own request or process is sent, so that its answer needs no id. */
export type CallWork = {
  /** Never rejects. */
  start(): Promise<ToolReply>
  /** Nobody waits for it any more: end it. `unsent`: guaranteed that it was never sent, and never will be. */
  cancel(): { readonly unsent: boolean }
}

/** One call with one end: its answer, the timeout, or the caller's abort, whichever is first. */
export function singleCall(
  { name: server, timeout_ms }: { readonly name: string; readonly timeout_ms: number },
  { signal }: Pick<UpstreamCall, 'signal'>,
  { start, cancel }: CallWork,
): Promise<ToolReply> {
  if (signal?.aborted === true) return Promise.resolve(notSent(server, 'the caller cancelled'))
  return new Promise((resolve) => {
    const settle = (answer: ToolReply) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
      resolve(answer)
    }
    const giveUp = (why: AbandonReason) => {
      const { unsent } = cancel()
      if (unsent)
        settle(notSent(server, why === 'aborted' ? 'the caller cancelled' : 'it could not be reached in time'))
      else settle(lost(server, LOST_BY[why], { why, timeout_ms: String(timeout_ms) }))
    }
    const aborted = () => giveUp('aborted')
    const timer = setTimeout(() => giveUp('timeout'), timeout_ms)
    signal?.addEventListener('abort', aborted)
    void start().then(settle)
  })
}
