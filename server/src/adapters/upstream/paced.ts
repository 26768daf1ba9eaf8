import { setImmediate } from 'node:timers/promises'

export type Paced = {
  push(chunk: Buffer): void
  /** Settles when everything that was pushed is passed on. */
  done(): Promise<void>
}

/** So small that even one message per three bytes takes only a few milliseconds. */
const PIECE = 1_024
const LONGEST_MS = 5

/**
 * Passes bytes on in small pieces. A server can put thousands of messages into one chunk; the event loop may run between two
 * pieces, and the server waits in the meantime.
 */
export function paced(push: (piece: Buffer) => void, source: { pause(): void; resume(): void }): Paced {
  const waiting: Buffer[] = []
  let rest: Promise<void> | undefined

  /** Passes on what there is time for. True if something is left. */
  function isUnfinished(): boolean {
    const since = performance.now()
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      push(chunk.subarray(0, PIECE))
      if (chunk.length > PIECE) waiting.unshift(chunk.subarray(PIECE))
      if (waiting.length > 0 && performance.now() - since > LONGEST_MS) return true
    }
    return false
  }

  async function handOnRest(): Promise<void> {
    source.pause()
    do await setImmediate()
    while (isUnfinished())
    rest = undefined
    source.resume()
  }

  return {
    push(chunk) {
      waiting.push(chunk)
      if (rest === undefined && isUnfinished()) rest = handOnRest()
    },
    done: () => rest ?? Promise.resolve(),
  }
}
