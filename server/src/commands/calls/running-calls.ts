import type { CallId } from '../../contract/ids.ts'

/** The calls that are at a tool server now, so that whoever made one can call it off from somewhere else. */
export interface RunningCalls {
  /** `theirs` is the signal of the connection the call came by, where it still has one. `end` says who called it off. */
  begin(call_id: CallId, theirs: AbortSignal | undefined): { readonly signal: AbortSignal; end(): string | undefined }
  /** False when no such call is at a tool server. */
  callOff(call_id: CallId, by: string): boolean
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<CallId, (by: string) => void>()
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
      stop?.(by)
      return stop !== undefined
    },
  }
}
