import type { Dispatcher } from 'undici'

export type BodyReader = {
  readonly data: (piece: Buffer) => void
  /** `whole`: it ended properly; otherwise it was cut off or dropped. */
  readonly end: (whole: boolean) => void
}

/** The body of an answer, for one reader. */
export type Body = {
  read(reader: BodyReader): void
  /** Discards the rest, so that the connection can be reused. */
  drain(): void
  /** The server waits until the reader continues. */
  pause(): void
  resume(): void
  /** The rest is not needed: ends the connection. */
  drop(): void
}

/** How much waits in memory for a reader; beyond that the server waits. */
const MOST_WAITING = 65_536

/** A body, and the function that fills it. */
export function openBody(connection: Dispatcher.DispatchController): {
  readonly body: Body
  readonly fill: BodyReader
} {
  let reader: BodyReader | undefined
  let waiting: Buffer[] = []
  let bytes = 0
  let ended: boolean | undefined

  const read = (by: BodyReader) => {
    reader = by
    for (const piece of waiting) by.data(piece)
    waiting = []
    if (ended === undefined) connection.resume()
    else by.end(ended)
  }
  return {
    body: {
      read,
      drain: () => read({ data: () => undefined, end: () => undefined }),
      pause: () => connection.pause(),
      resume: () => connection.resume(),
      drop: () => connection.abort(new Error('the rest is not needed')),
    },
    fill: {
      data(piece) {
        if (reader !== undefined) return reader.data(piece)
        waiting.push(piece)
        bytes += piece.length
        return bytes > MOST_WAITING ? connection.pause() : undefined
      },
      end(whole) {
        ended = whole
        reader?.end(whole)
      },
    },
  }
}

/** The whole body, or why there is none. */
export function readBody(body: Body, limit: number): Promise<Buffer | 'too_large' | 'broke_off'> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let bytes = 0
    body.read({
      data(piece) {
        bytes += piece.length
        if (bytes <= limit) return void pieces.push(piece)
        resolve('too_large')
        return body.drop()
      },
      end: (whole) => resolve(whole ? joined(pieces) : 'broke_off'),
    })
  })
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)
}
