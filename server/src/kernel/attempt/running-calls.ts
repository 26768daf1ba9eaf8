import type { CallId } from '../contract/ids.ts'
import { CancelSwitch, type CancelSignal } from '../ports/cancel.ts'
import type { Notices } from '../ports/notices.ts'

/** One call at a tool server. */
export type RunningCall = {
  readonly signal: CancelSignal
  /** Returns who cancelled it. */
  end(): string | undefined
}

/** The calls that are currently at a tool server, so that their caller can cancel one from elsewhere. */
export interface RunningCalls {
  /** `theirs`: the signal of the client's connection, if it is still open. */
  begin(call_id: CallId, theirs: CancelSignal | undefined): RunningCall
  /** False if this node has no such call at a tool server; then the other nodes are notified. */
  callOff(call_id: CallId, by: string): boolean
}

export function createRunningCalls(notices: Notices): RunningCalls {
  /** A list with free slots instead of a map: a map that changes with every call keeps ended calls in memory for longer. */
  const running: (Running | undefined)[] = []
  const free: number[] = []
  const find = (call_id: CallId) => running.find((one) => one?.call_id === call_id)
  notices.subscribe('cancel', ({ call_id, by }, origin) => {
    if (origin === 'elsewhere') find(call_id)?.callOff(by)
  })

  class Running implements RunningCall {
    readonly signal = new CancelSwitch()
    readonly call_id: CallId
    readonly #theirs: CancelSignal | undefined
    readonly #hangUp = () => this.signal.abort()
    readonly #place: number
    #called_off_by: string | undefined = undefined

    constructor(call_id: CallId, theirs: CancelSignal | undefined) {
      this.call_id = call_id
      this.#theirs = theirs
      this.#place = free.pop() ?? running.length
      running[this.#place] = this
      if (theirs?.aborted === true) this.signal.abort()
      else theirs?.addEventListener('abort', this.#hangUp)
    }

    callOff(by: string): void {
      this.#called_off_by = by
      this.signal.abort()
    }

    end(): string | undefined {
      running[this.#place] = undefined
      free.push(this.#place)
      this.#theirs?.removeEventListener('abort', this.#hangUp)
      return this.#called_off_by
    }
  }

  return {
    begin: (call_id, theirs) => new Running(call_id, theirs),
    callOff(call_id, by) {
      const found = find(call_id)
      if (found === undefined) notices.publish('cancel', { call_id, by })
      else found.callOff(by)
      return found !== undefined
    },
  }
}
