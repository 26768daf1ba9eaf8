import type { MatrixConnection, RoomEvent } from './matrix-connection.ts'

/** The sender's homeserver also sets an event's time, so one old event does not mean that the rest is older. */
const MOST_OLD = 200
const MOST_LOOKED_AT = 10_000
const PAGE = 30

/** The events of a room since a time, newest first. `cut` is called if there are more than are read. */
export async function* eventsSince(
  session: Pick<MatrixConnection, 'history'>,
  room: string,
  oldest: number,
  cut: () => void,
): AsyncGenerator<RoomEvent> {
  let looked = 0
  let old = 0
  for await (const event of session.history(room, PAGE)) {
    looked += 1
    old = event.at < oldest ? old + 1 : 0
    if (old > MOST_OLD) return
    if (old === 0) yield event
    if (looked < MOST_LOOKED_AT) continue
    cut()
    return
  }
}
