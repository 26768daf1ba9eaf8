import { setTimeout as sleep } from 'node:timers/promises'
import { openMatrixConnection } from '../matrix-connection.ts'
import type { Homeserver, MatrixUser } from './homeserver.suite.ts'

/** A person with an encrypting client, in a room that they created. */
export async function encryptedPerson({ url }: Homeserver, { id, password, token }: MatrixUser) {
  const createRoom = async (invite: readonly string[]): Promise<string> => {
    const answer = await fetch(`${url}/_matrix/client/v3/createRoom`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({
        preset: 'private_chat',
        invite,
        initial_state: [{ type: 'm.room.encryption', state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } }],
      }),
    })
    return ((await answer.json()) as { room_id: string }).room_id
  }
  const texts: string[] = []
  let session: Awaited<ReturnType<typeof openMatrixConnection>> | undefined
  return {
    async createEncryptedRoom(invite: readonly string[]) {
      const room = await createRoom(invite)
      session = await openMatrixConnection({ homeserver: url, user: id, password, room })
      session.listen(({ content: { body } }) => void (typeof body === 'string' && texts.push(body)))
      return room
    },
    async say(room: string, body: string) {
      await session?.send(room, 'm.room.message', { msgtype: 'm.text', body })
    },
    async sees(fits: (text: string) => boolean): Promise<string> {
      for (;;) {
        const found = texts.find(fits)
        if (found !== undefined) return found
        await sleep(50)
      }
    },
    close: async () => session?.close(),
  }
}
