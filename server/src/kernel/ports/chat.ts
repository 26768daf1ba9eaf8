import type { Caller } from '../contract/caller.ts'

/** What the gate's own message about a request carries, besides its text. */
export type ChatPrompt = {
  readonly approval_id: string
  /** The digest of the packet that the message shows; absent if it does not show all of it. */
  readonly digest?: string
}

/** An event in a room. */
export type ChatEvent = {
  readonly event_id: string
  readonly sender: string
  readonly at: number
} & (
  | { readonly is: 'text'; readonly text: string }
  /** A reaction to one of the gate's own messages; `to` is what that message carries. */
  | { readonly is: 'reaction'; readonly key: string; readonly to: ChatPrompt | undefined }
)

/** A room in which approvers are notified of requests and answer. */
export interface ChatRoom {
  readonly name: string
  /** Who may decide, by their name in the chat. Everybody else only reads. */
  readonly people: ReadonlyMap<string, Caller>
  /** The gate's newest message about a request, as the room has it. */
  promptFor(approval_id: string): Promise<ChatPrompt | undefined>
  /** Answers a message. Never throws. */
  reply(to: string, text: string): Promise<void>
  /** Reports events in the room. Events of the last hour may be repeated; they are in order. Returns a function that stops it. */
  follow(onEvent: (event: ChatEvent) => Promise<void>): () => Promise<void>
}
