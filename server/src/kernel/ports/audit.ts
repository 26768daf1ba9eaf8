import type { StoredAuditState } from '../contract/audit.ts'
import type { Sha256 } from '../contract/ids.ts'
import type { Result } from '../contract/problems.ts'

/** The entry that this process appended last: the store must still contain it. */
export interface OwnTail {
  /** Undefined before the first entry. */
  ownTail(): { readonly stream: string; readonly seq: number; readonly hash: Sha256 } | undefined
}

export interface CheckpointKeys {
  /** Signs canonical text with the active Ed25519 key. */
  sign(text: string): { readonly key: string; readonly signature: string }
  /** Also false for a key that this data folder never had. */
  isGenuine(text: string, key: string, signature: string): boolean
  publicKey(key: string): string | undefined
  /** All keys that verify, the active one first. */
  publicKeys(): readonly PublicKey[]
}
export type PublicKey = { readonly key: string; readonly public_key: string; readonly active: boolean }

/** The newest entry of each stream that this node has seen: in memory, and in a file outside the ledger. */
export interface SeenEntries {
  all(): readonly { readonly stream: string; readonly seq: number; readonly hash: Sha256 }[]
  /** Keeps those that are newer. */
  see(heads: ReturnType<SeenEntries['all']>): void
  /** When an admin has accepted what is stored. */
  forget(): void
  /** When everything that was seen is in the file. */
  settled(): Promise<void>
}

/** The newest checkpoint, stored outside the ledger: in memory and in a file beside the keys. */
export interface CheckpointFile {
  /** As this process knows it, whatever was done to the file since. `missing`: there was no file when it was opened. */
  state(): Pick<StoredAuditState, 'newest' | 'broken'> & { readonly missing: boolean }
  /** In memory at once; durable when the answer is ok. */
  keep(next: Pick<StoredAuditState, 'newest' | 'broken'>): Promise<Result<void>>
}
