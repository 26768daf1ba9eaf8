import type { Caller } from '../../contract/caller.ts'
import type { HubKeysAnswer, HubWord, NodeMessage } from '../../contract/hub.ts'
import type { Result } from '../../contract/problems.ts'

/** The key with which a hub signs what its nodes may believe. Made when it is first needed. */
export interface HubKeys {
  sign(word: HubWord): Promise<Result<string>>
  list(): Result<HubKeysAnswer>
  /** A key for the time after the next `activate`: nodes are told of it before it signs anything. */
  prepare(): Result<HubKeysAnswer>
  /** The prepared key signs from now on. */
  activate(): Result<HubKeysAnswer>
}

/** A word that a node was given. `claims` of one that is not genuine are believed by nobody: they only say which request it is about. */
export type ReadWord =
  | { readonly is: 'genuine'; readonly word: HubWord; readonly key: string }
  | { readonly is: 'forged'; readonly why: string; readonly approval_id?: string }

export interface PinnedKeys {
  /** Never throws. */
  read(text: string): Promise<ReadWord>
}

export type SentToHub =
  /** With what the hub answered at once, if it did. */
  { readonly is: 'sent'; readonly words: readonly string[] } | { readonly is: 'failed'; readonly why: string }

export type HubFollower = {
  /** The requests that wait for a decision. Never throws. */
  readonly pending: () => Promise<readonly string[]>
  /** Whether it counted. Never throws. */
  readonly take: (word: string) => Promise<boolean>
}

/** How a node and its hub reach one another. Carries messages; nothing is believed because of how it came. */
export interface HubLink {
  /** One attempt. Never throws. */
  send(message: NodeMessage): Promise<SentToHub>
  /** Takes in what the hub says, over interruptions of any length. `wake`: there is something new to ask for. */
  follow(follower: HubFollower): { wake(): void; stop(): Promise<void> }
}

/** What somebody left in a control room for the hub. */
export type LeftInRoom = {
  readonly text: string
  readonly sender: string
  readonly event_id: string
  readonly at: number
}

/** A room through which nodes reach this hub. */
export interface NodeRoom {
  /** By the name the chat knows them by. Messages of everybody else are ignored. */
  readonly nodes: ReadonlyMap<string, Caller>
  /** What is said again with the same `txn` is there once. Never throws. */
  say(words: readonly string[], says: string, txn?: string): Promise<void>
  /** Newest messages may come again. Returns how to stop. */
  follow(onText: (left: LeftInRoom) => Promise<void>): () => Promise<void>
}

/** A gate whose approvals are decided at a hub. */
export type AttachedHub = {
  /** This node's name at the hub. */
  readonly node: string
  /** The hub, for messages to people. */
  readonly where: string
  /** Its console, where that is known. */
  readonly url?: string
  /** So long a request may stay unconfirmed before it is refused. */
  readonly answer_ms: number
  readonly pinned: PinnedKeys
  readonly link: HubLink
}
