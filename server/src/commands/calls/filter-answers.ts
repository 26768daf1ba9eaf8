import type { CallListeners, ToolServers, UpstreamAnswer, UpstreamCall } from '../ports/upstream.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import { withResult } from '../maybe-promise.ts'

/** Takes something out of all that a tool server says during a call. */
export type AnswerFilter = {
  /** Progress and log lines before they reach these listeners. They keep their order, so this is synchronous. */
  listeners(listeners: CallListeners): Pick<CallListeners, 'onProgress' | 'onLog'>
  /** The answer itself if there is nothing to take out. */
  answer(answer: UpstreamAnswer): MaybePromise<UpstreamAnswer>
}

/** Wraps the tool servers so that what they say passes each filter, in this order, before anyone else sees or stores it. */
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
