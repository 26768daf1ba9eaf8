import type { CallId, RunId, Sha256 } from '../contract/ids.ts'
import type { Happened } from '../changes/changes-in.ts'
import type { Table } from './ledger.ts'

/** Messages between nodes. Ids, names and states, never contents: a receiver reads the store. */
export type Topics = {
  /** Rows that a durable commit swapped. */
  readonly rows: readonly { readonly table: Table; readonly id: string }[]
  /** The changes in a durable commit, for watchers. */
  readonly changes: readonly Happened[]
  /** How many changes a node has published so far. `asks`: it wants the same from the others. */
  readonly counts: { readonly node: string; readonly number: number; readonly asks: boolean }
  /** The catalogue has other tools of this server; these ones, or all. */
  readonly catalogue: { readonly server: string; readonly tool_ids?: readonly string[] }
  /** Another policy was activated. */
  readonly policy: { readonly version: string }
  /** The keys that nodes share were changed. */
  readonly keys: Readonly<Record<string, never>>
  /** Runs that a durable commit woke: the node that drives one of them reads its journal. */
  readonly wakes: readonly RunId[]
  /** The caller of this call cancels it: the node that executes it tells the tool server. */
  readonly cancel: { readonly call_id: CallId; readonly by: string }
  /** About an MCP client whose requests reach several nodes. */
  readonly relay: RelayNotice
}
/** `client` identifies the caller and its session; `by` says who asked, for the answer. Texts are in the artifact store. */
export type RelayNotice =
  | { readonly is: 'ended'; readonly session: string }
  | { readonly is: 'cancelled'; readonly client: string; readonly id: string | number }
  /** A client wants what its stream sent after this event. Repeated while it listens. */
  | {
      readonly is: 'resumed'
      readonly client: string
      readonly stream: string
      readonly after: number
      readonly by: string
    }
  /** What the stream sent: events in the artifact store, or nothing new. */
  | { readonly is: 'told'; readonly by: string; readonly events?: Sha256; readonly is_over: boolean }
  /** A client answered a question of another node, which may be waiting for it. */
  | { readonly is: 'replied'; readonly client: string; readonly id: string; readonly by: string }
  | { readonly is: 'wanted'; readonly by: string }
  | { readonly is: 'reply'; readonly client: string; readonly id: string; readonly user: string; readonly text: Sha256 }

export type Topic = keyof Topics

/** Whose notice it is: this process's own, or that of another node. */
export type Origin = 'here' | 'elsewhere'

/**
 * Notifies all nodes, as a hint: it is not stored, and a node that is down does not get it.
 * INVARIANT: nothing is decided by a notice alone. After `onMissed`, everything that is cached in memory is read again.
 */
export interface Notices {
  /** Listeners of this node have been called when it returns; it does not wait for other nodes. Never throws. */
  publish<T extends Topic>(topic: T, notice: Topics[T]): void
  /**
   * Gets every notice of a topic, including this node's own, each node's in the order of publication. A listener must be fast,
   * because commits wait for it. Returns a function that stops it.
   */
  subscribe<T extends Topic>(topic: T, listener: (notice: Topics[T], origin: Origin) => void): () => void
  /** Called when notices of other nodes may be missing. Returns a function that stops it. */
  onMissed(listener: () => void): () => void
}
