import type { CallId } from '../../contract/ids.ts'
import type { Notices } from '../ports/notices.ts'

/** The calls that are currently at a tool server, so that their caller can cancel one from elsewhere. */
export interface RunningCalls {
  /** `theirs`: the signal of the connection the call came by, if it still has one. `end` returns who cancelled it. */
  begin(call_id: CallId, theirs: AbortSignal | undefined): { readonly signal: AbortSignal; end(): string | undefined }
  /** False if this node has no such call at a tool server; then the other nodes are told. */
  callOff(call_id: CallId, by: string): boolean
}

export function createRunningCalls(notices: Notices): RunningCalls {
  const running = new Map<CallId, (by: string) => void>()
  notices.subscribe('cancel', ({ call_id, by }, origin) => {
    if (origin === 'elsewhere') running.get(call_id)?.(by)
  })
  return {
    begin(call_id, theirs) {
      const off = new AbortController()
      const hangUp = () => off.abort()
      let called_off_by: string | undefined
      if (theirs?.aborted === true) off.abort()
      else theirs?.addEventListener('abort', hangUp)
      running.set(call_id, (by) => {
        called_off_by = by
        off.abort()
      })
      return {
        signal: off.signal,
        end() {
          running.delete(call_id)
          theirs?.removeEventListener('abort', hangUp)
          return called_off_by
        },
      }
    },
    callOff(call_id, by) {
      const stop = running.get(call_id)
      if (stop === undefined) notices.publish('cancel', { call_id, by })
      else stop(by)
      return stop !== undefined
    },
  }
}
