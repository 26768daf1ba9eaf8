import type { Result } from '../contract/problems.ts'

/** A room in which a hub and its nodes exchange messages. Each text is in a named field of its event. */
export interface ControlRoom {
  /** Throws if the room does not accept it. A repetition with the same `txn` is stored once. */
  send(field: string, text: string, says: string, txn?: string): Promise<void>
  /** Reports every text in that field, with its sender, across interruptions of any length. The newest events may be repeated. */
  follow(field: string, onText: (text: string, event: TextEvent) => Promise<void>): () => Promise<void>
}

/** How a text arrived in a room. */
export type TextEvent = { readonly event_id: string; readonly sender: string; readonly at: number }

/** The gate's own user in a room. */
export type RoomLogin = {
  readonly homeserver: string
  readonly user: string
  readonly room: string
  readonly token?: string | undefined
  readonly password?: string | undefined
}

/** Resolves the secret of the login; `where` it stands in the configuration is named in the problem. */
export type OpenControlRoom = (login: RoomLogin, where: string) => Result<ControlRoom>
