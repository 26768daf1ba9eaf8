import type { Caller } from '../../contract/caller.ts'

/** What the gate's own message about a request carries, beside its text. */
export type ChatPrompt = {
  readonly approval_id: string
  /** Of the packet that the message shows; absent where it does not show all of it. */
  readonly digest?: string
}

/** What somebody did in a room. */
export type ChatEvent = {
  readonly event_id: string
  readonly sender: string
  readonly at: number
} & (
  | { readonly is: 'text'; readonly text: string }
  /** To a message of the gate's own, where `to` is what that message carries. */
  | { readonly is: 'reaction'; readonly key: string; readonly to: ChatPrompt | undefined }
)

/** One room in which approvers are told of requests and answer. */
export interface ChatRoom {
  readonly name: string
  /** Who may decide, by the name the chat knows them by. Everybody else only reads. */
  readonly people: ReadonlyMap<string, Caller>
  /** The newest message of the gate's own about a request, as the room has it. */
  promptFor(approval_id: string): Promise<ChatPrompt | undefined>
  /** Answers a message. Never throws. */
  reply(to: string, text: string): Promise<void>
  /** Tells what happens in the room. Events of the last hour may come again; each is told in order. Returns how to stop. */
  follow(onEvent: (event: ChatEvent) => Promise<void>): () => Promise<void>
}
