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

/** A body as it arrives. A class, because one is made for every call. */
export class ReceivedBody implements Body {
  readonly #connection: Dispatcher.DispatchController
  #reader: BodyReader | undefined
  #waiting: Buffer[] = []
  #bytes = 0
  #whole: boolean | undefined

  constructor(connection: Dispatcher.DispatchController) {
    this.#connection = connection
  }

  /** The next piece from the network. */
  receive(piece: Buffer): void {
    if (this.#reader !== undefined) return this.#reader.data(piece)
    this.#waiting.push(piece)
    this.#bytes += piece.length
    if (this.#bytes > MOST_WAITING) this.#connection.pause()
  }

  end(whole: boolean): void {
    this.#whole = whole
    this.#reader?.end(whole)
  }

  read(reader: BodyReader): void {
    this.#reader = reader
    for (const piece of this.#waiting) reader.data(piece)
    this.#waiting = []
    if (this.#whole === undefined) this.#connection.resume()
    else reader.end(this.#whole)
  }

  drain(): void {
    this.read(NO_READER)
  }

  pause(): void {
    this.#connection.pause()
  }

  resume(): void {
    this.#connection.resume()
  }

  drop(): void {
    this.#connection.abort(new Error('the rest is not needed'))
  }
}

const NO_READER: BodyReader = { data: () => undefined, end: () => undefined }

/** The whole body, or why there is none. */
export type WholeBody = Buffer | 'too_large' | 'broke_off'

export const readBody = (body: Body, limit: number): Promise<WholeBody> =>
  new Promise((resolve) => takeBody(body, limit, resolve))

/** The same without a promise. `done` is called once, immediately if the whole body has arrived. */
export function takeBody(body: Body, limit: number, done: (whole: WholeBody) => void): void {
  const pieces: Buffer[] = []
  let bytes = 0
  body.read({
    data(piece) {
      if (bytes > limit) return
      bytes += piece.length
      if (bytes <= limit) return void pieces.push(piece)
      done('too_large')
      return body.drop()
    },
    end(whole) {
      if (bytes <= limit) done(whole ? joined(pieces) : 'broke_off')
    },
  })
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)
}
