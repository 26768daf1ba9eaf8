import type { MessageInbox } from '../inbox.ts'
import { paced } from '../paced.ts'
import { eventReader, type ServerEvent } from './event-reader.ts'
import type { HttpReply } from './exchange.ts'

/** Where the stream can be resumed, and after how long. */
export type StreamEnd = { readonly last_id: string | undefined; readonly retry_ms: number | undefined }

/** Reads a stream of events into the inbox until it ends or breaks. `event` gets each first; true: it was handled. */
export function readEvents(
  { body }: HttpReply,
  { limit, inbox, event }: { limit: number; inbox: MessageInbox; event?: (event: ServerEvent) => boolean },
): Promise<StreamEnd> {
  return new Promise((resolve) => {
    const reader = eventReader(limit, {
      event(found) {
        if (event?.(found) !== true && found.event === 'message') inbox.receive(found.data)
      },
      overlong: (long) => inbox.overlong(long),
      endless(long) {
        inbox.overlong(long)
        body.drop()
      },
    })
    const pieces = paced((piece) => reader.push(piece), body)
    const end = () => resolve({ last_id: reader.lastId(), retry_ms: reader.retryMs() })
    body.read({
      data: (piece) => pieces.push(piece),
      end: () => void pieces.done().then(end),
    })
  })
}
