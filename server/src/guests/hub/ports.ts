import type { Caller } from '../../kernel/contract/caller.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { DecidedElsewhere } from '../../kernel/ports/decided-elsewhere.ts'
import type { HubKeysAnswer, HubReply, NodeReport, NodeRequest } from './hub.ts'

declare module '../../kernel/ports/runtime.ts' {
  interface ProbePoints extends Readonly<Record<'hub.sending' | 'hub.sent' | 'node.storing' | 'node.stored', true>> {}
}

/** The key with which a hub signs decisions for its nodes. Created when it is first needed. */
export interface HubKeys {
  sign(reply: HubReply): Promise<Result<string>>
  list(): Result<HubKeysAnswer>
  /** A key to use after the next `activate`: nodes learn of it before it signs anything. */
  prepare(): Promise<Result<HubKeysAnswer>>
  /** The prepared key signs from now on. */
  activate(): Promise<Result<HubKeysAnswer>>
}

/**
 * A signed decision that a node received. `claims` of one that is not genuine are not trusted: they only say which request it is
 * about.
 */
export type ReceivedDecision =
  | { readonly is: 'genuine'; readonly reply: HubReply; readonly key: string }
  | { readonly is: 'forged'; readonly why: string; readonly approval_id?: string }

export interface PinnedKeys {
  /** Never throws. */
  read(text: string): Promise<ReceivedDecision>
}

export type SentToHub =
  /** With the hub's immediate answer, if there was one. */
  { readonly is: 'sent'; readonly replies: readonly string[] } | { readonly is: 'failed'; readonly why: string }

export type HubFollower = {
  /** The requests that wait for a decision. Never throws. */
  readonly pending: () => Promise<readonly string[]>
  /** Whether the reply was accepted. Never throws. */
  readonly take: (reply: string) => Promise<boolean>
}

/** The connection between a node and its hub. It only carries messages; nothing is trusted because of how it arrived. */
export interface HubLink {
  /** One attempt. Never throws. */
  send(message: NodeRequest | NodeReport): Promise<SentToHub>
  /** Receives what the hub sends, across interruptions of any length. `wake`: there is something new to ask for. */
  follow(follower: HubFollower): { wake(): void; stop(): Promise<void> }
}

/** A message for the hub in a control room. */
export type LeftInRoom = {
  readonly text: string
  readonly sender: string
  readonly event_id: string
  readonly at: number
}

/** A room through which nodes reach this hub. */
export interface NodeRoom {
  /** By their name in the chat. Messages of everybody else are ignored. */
  readonly nodes: ReadonlyMap<string, Caller>
  /** A repetition with the same `txn` is sent once. Never throws. */
  say(replies: readonly string[], says: string, txn?: string): Promise<void>
  /** The newest messages may be repeated. Returns a function that stops it. */
  follow(onText: (left: LeftInRoom) => Promise<void>): () => Promise<void>
}

/** A gate whose approvals are decided at a hub. */
export type AttachedHub = DecidedElsewhere & {
  /** This node's name at the hub. */
  readonly node: string
  /** How long a request may stay unconfirmed before it is rejected. */
  readonly answer_ms: number
  readonly pinned: PinnedKeys
  readonly link: HubLink
}
