import type { Gate } from '../../main/gate.ts'
import type { ChatRoom } from '../../kernel/ports/chat.ts'

/** Answers the messages that approvers write in their rooms. Returns a function that stops it. */
export function answerRooms(
  { channels }: Pick<Gate, 'channels'>,
  rooms: readonly ChatRoom[],
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stops = rooms.map((room) =>
    room.follow(async (event) => {
      try {
        const says = await channels.takeChat(room, event)
        if (says !== undefined) await room.reply(event.event_id, says)
      } catch (error) {
        onError(error)
      }
    }),
  )
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
