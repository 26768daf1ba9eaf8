/**
 * How messages of people and other agents arrive and are sent: a chat, or a webhook. A transport translates; it decides nothing
 * and knows no document. To write one, see server/src/guests/workflows/README.md.
 */
export interface MessageTransport {
  readonly name: string
  /**
   * Whether it can reach this room for this document. An answer is sent by the transport of the question, everything else by the first that
   * can.
   */
  reaches(room: string, agent: string): boolean
  /**
   * One attempt. `id` is the same however often the gate tries, so that the receiver can recognize a repetition. `not_sent`:
   * known not to have been sent. `lost`: unknown. Never throws.
   */
  send(message: OutgoingMessage): Promise<Sent>
  /** Starts listening, and delivers every message again after each restart until it was accepted. Returns a function that stops it. */
  listen?(take: TakeMessage, admits: AdmitsInvitation): Promise<() => Promise<void>>
}

/** Whether the document joins a room that somebody invited it to. */
export type AdmitsInvitation = (agent: string, invitation: { room: string; by: string }) => Promise<boolean>

export type OutgoingMessage = {
  readonly id: string
  /** The document in whose name it is sent. */
  readonly agent: string
  readonly room: string
  readonly text: string
  /** It may have been sent before, at this time or later: it is sent again only if it is not there. */
  readonly since?: number
}

export type Sent = { readonly is: 'sent' } | { readonly is: 'not_sent' | 'lost'; readonly why: string }

/** A message as received, before any of it is trusted. The transport has verified the fields that it sets itself. */
export type IncomingMessage = {
  readonly transport: string
  /** The transport's own id of the message: the same message delivered twice starts nothing twice. */
  readonly id: string
  /** The document it is for, if the transport knows; otherwise every document that admits the room gets it. */
  readonly agent?: string
  readonly room: string
  readonly sender: string
  readonly text: string
  readonly encrypted: boolean
  /** Addressed to the agent itself: in a room for two, by its name, or as a reply. */
  readonly directed: boolean
}

/** The result, by document. */
export type TakenMessage =
  | { readonly is: 'started'; readonly document: string; readonly run_id: string }
  | { readonly is: 'refused'; readonly document: string | null; readonly code: string; readonly says: string }
  /** A person's message to the agent, for the thread that this run is. */
  | { readonly is: 'turn'; readonly document: string; readonly run_id: string }
  | { readonly is: 'ignored'; readonly document: string | null }

/** `later`: it could not be recorded; deliver it again. */
export type TakeMessage = (message: IncomingMessage) => Promise<readonly TakenMessage[] | 'later'>

/** Rooms in which each document is a user of its own. */
export type RoomTransportSettings = {
  readonly name: string
  readonly matrix: {
    readonly homeserver: string
    /** By the name of the document. */
    readonly agents: Readonly<
      Record<
        string,
        { readonly user: string; readonly token?: string | undefined; readonly password?: string | undefined }
      >
    >
  }
}

/** A secret that is missing is a fault at its place in the settings. */
export type OpenRoomTransport = (
  settings: RoomTransportSettings,
  fault: (place: string, says: string) => void,
) => MessageTransport
