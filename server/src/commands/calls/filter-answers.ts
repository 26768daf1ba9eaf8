import type { CallListeners, ToolServers, UpstreamAnswer, UpstreamCall } from '../ports/upstream.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import { withResult } from '../maybe-promise.ts'

/** Removes something from every message of a tool server during a call. */
export type AnswerFilter = {
  /** The listeners with filtered progress and log lines. Synchronous, so that messages stay in order. */
  listeners(listeners: CallListeners): Pick<CallListeners, 'onProgress' | 'onLog'>
  /** Returns the same object if there is nothing to remove. */
  answer(answer: UpstreamAnswer): MaybePromise<UpstreamAnswer>
}

/** Wraps the tool servers so that each of their messages passes every filter, in this order, before anybody sees or stores it. */
export function filterAnswers(servers: ToolServers, filters: readonly AnswerFilter[]): ToolServers {
  const fromLast = filters.toReversed()
  const filtered = (answer: UpstreamAnswer): MaybePromise<UpstreamAnswer> =>
    filters.reduce<MaybePromise<UpstreamAnswer>>((sofar, one) => withResult(sofar, one.answer), answer)
  const listening = (call: UpstreamCall): UpstreamCall => ({
    ...call,
    ...fromLast.reduce<CallListeners>((listeners, one) => one.listeners(listeners), call),
  })
  return {
    generation: (server) => servers.generation(server),
    call: (call) =>
      servers.call(call.onProgress === undefined && call.onLog === undefined ? call : listening(call)).then(filtered),
  }
}
