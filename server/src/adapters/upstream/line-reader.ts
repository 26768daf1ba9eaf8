/** What is kept of a line over the limit: enough to find its id. */
export type Overlong = { readonly head: string; readonly tail: string; readonly bytes: number }

export type LineSink = {
  line(bytes: Buffer): void
  /** A line over the limit has ended; the next one is read as usual. */
  overlong(line: Overlong): void
  /** A line over the limit does not end. Called once; nothing is read afterwards. */
  endless(line: Overlong): void
}

/** `blank`: empty lines are reported too. */
export type LineLimits = { readonly line: number; readonly endless: number; readonly blank?: boolean }

export type LineReader = {
  push(chunk: Buffer): void
  /** Whether the reader is inside a line that is already over the limit. */
  isSkipping(): boolean
}

const NEWLINE = 0x0a
const KEPT = 256

/**
 * Splits a byte stream into lines.
 * INVARIANT: holds at most one limit and one chunk of bytes, whatever is sent (law in line-reader.test.ts).
 */
export function lineReader(limits: LineLimits, sink: LineSink): LineReader {
  let parts: Buffer[] = []
  let bytes = 0
  let skipped: { head: Buffer; tail: Buffer } | undefined
  let deaf = false

  function take(part: Buffer): void {
    bytes += part.length
    if (skipped === undefined && bytes <= limits.line) {
      parts.push(part)
      return
    }
    if (skipped === undefined) {
      const whole = Buffer.concat([...parts, part])
      // Copied, because a slice would keep the whole line in memory.
      skipped = { head: Buffer.from(whole.subarray(0, KEPT)), tail: Buffer.from(whole.subarray(-KEPT)) }
      parts = []
    } else {
      skipped.tail = Buffer.from(Buffer.concat([skipped.tail, part.subarray(-KEPT)]).subarray(-KEPT))
    }
    if (bytes > limits.endless) {
      deaf = true
      sink.endless(overlong(skipped))
    }
  }

  function end(): void {
    const [only, ...more] = parts
    const long = skipped
    const line = only === undefined ? undefined : more.length === 0 ? only : Buffer.concat(parts)
    const ended = long === undefined ? undefined : overlong(long)
    parts = []
    bytes = 0
    skipped = undefined
    if (ended !== undefined) sink.overlong(ended)
    else if (line !== undefined && (line.length > 0 || limits.blank === true)) sink.line(line)
  }

  const overlong = ({ head, tail }: { head: Buffer; tail: Buffer }): Overlong => ({
    head: head.toString(),
    tail: tail.toString(),
    bytes,
  })

  return {
    push(chunk) {
      let from = 0
      while (!deaf && from < chunk.length) {
        const newline = chunk.indexOf(NEWLINE, from)
        take(chunk.subarray(from, newline === -1 ? chunk.length : newline))
        if (newline === -1 || deaf) return
        end()
        from = newline + 1
      }
    },
    isSkipping: () => skipped !== undefined,
  }
}
