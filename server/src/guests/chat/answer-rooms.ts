import { ok } from '../../kernel/contract/problems.ts'
import type { ChatRoom } from '../../kernel/ports/chat.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { openSenderLimits } from './sender-limits.ts'
import { takeChat, type ChatPorts } from './take-chat.ts'

export const prepareChat: PrepareGuest = ({ log }) =>
  ok({
    start: (ports) =>
      answerRooms({ ...ports, limits: openSenderLimits() }, (error) =>
        log('error', 'a chat message could not be handled', { error: String(error) }),
      ),
  })

/** Answers the messages that approvers write in their rooms. Returns a function that stops it. */
function answerRooms(
  deps: ChatPorts & { readonly rooms: readonly ChatRoom[] },
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stops = deps.rooms.map((room) =>
    room.follow(async (event) => {
      try {
        const says = await takeChat(deps, room, event)
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
