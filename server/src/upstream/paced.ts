import { setImmediate } from 'node:timers/promises'

export type Paced = {
  push(chunk: Buffer): void
  /** Settles when everything that was pushed is handed on. */
  done(): Promise<void>
}

/** So little that even one message per three bytes takes a few milliseconds. */
const PIECE = 1_024
const LONGEST_MS = 5

/**
 * Hands bytes on in small pieces. A server can put thousands of messages into one chunk; between two pieces everybody else has
 * their turn, and the server waits meanwhile.
 */
export function paced(push: (piece: Buffer) => void, source: { pause(): void; resume(): void }): Paced {
  const waiting: Buffer[] = []
  let rest: Promise<void> | undefined

  /** Hands on what there is time for. True when something is left. */
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
