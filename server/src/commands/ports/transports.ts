/**
 * How messages of people and other agents come in and go out: a chat, or a webhook. A transport translates; it decides nothing and
 * knows no document. How one is written: docs/workflows.md.
 */
export interface MessageTransport {
  readonly name: string
  /** Whether it can reach this room for this document. An answer goes out by the transport of the question, everything else by the first that can. */
  reaches(room: string, agent: string): boolean
  /**
   * One attempt. `id` is the same however often the gate tries, so that the other side can tell a repetition.
   * `not_sent`: known not to have been sent. `lost`: nobody knows. Never throws.
   */
  send(message: OutgoingMessage): Promise<Sent>
  /** Begins to listen, and hands in every message once more after each restart until it was taken. Returns how to stop. */
  listen?(take: TakeMessage, admits: AdmitsInvitation): Promise<() => Promise<void>>
}

/** Whether the document wants to be in a room that somebody invited it to. */
export type AdmitsInvitation = (agent: string, invitation: { room: string; by: string }) => Promise<boolean>

export type OutgoingMessage = {
  readonly id: string
  /** The document in whose name it is sent. */
  readonly agent: string
  readonly room: string
  readonly text: string
  /** Somebody may have tried to send it before, at this time or later: it is sent again only if it is not there. */
  readonly since?: number
}

export type Sent = { readonly is: 'sent' } | { readonly is: 'not_sent' | 'lost'; readonly why: string }

/** A message as it came in, before anything in it is believed. What the transport says of it the transport has checked. */
export type IncomingMessage = {
  readonly transport: string
  /** The transport's own id of the message: the same message handed in twice starts nothing twice. */
  readonly id: string
  /** The document it is for, where the transport knows; without it, every document that admits the room looks at it. */
  readonly agent?: string
  readonly room: string
  readonly sender: string
  readonly text: string
  readonly encrypted: boolean
  /** Said to the agent itself: in a room for two, by its name, or as a reply. */
  readonly directed: boolean
}

/** What became of it, by document. */
export type TakenMessage =
  | { readonly is: 'started'; readonly document: string; readonly run_id: string }
  | { readonly is: 'refused'; readonly document: string | null; readonly code: string; readonly says: string }
  /** Something that a person says to the agent: a message for the thread that this run is. */
  | { readonly is: 'turn'; readonly document: string; readonly run_id: string }
  | { readonly is: 'ignored'; readonly document: string | null }

/** `later`: it could not be recorded; hand it in again. */
export type TakeMessage = (message: IncomingMessage) => Promise<readonly TakenMessage[] | 'later'>
