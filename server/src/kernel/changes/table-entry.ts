import type { AllOf } from '../all-of.ts'
import type { Caller } from '../contract/caller.ts'
import type { GateChange } from '../contract/change.ts'
import type { KeyId } from '../contract/ids.ts'
import type { KeyGrant } from '../contract/caller.ts'
import type { Change, ListedBy, Rows, Table, Version } from '../ports/ledger.ts'
import type { Stored } from '../ports/reads.ts'
import type { Happened } from './changes-in.ts'
import type { Guard } from './minimum-versions.ts'

/** What the kernel has to know about a guest's table. Its SQL is in both schemas of `adapters/stores`. */
export type TableEntry<T extends Table = Table> = {
  readonly table: T
  readonly listed_by: ListedBy[T]
  /** An older version of a row would restore somebody's access. */
  readonly guarded?: Guard
  /** What watchers are told about its rows. */
  readonly topic?: ChangeTopic<T>
  /** Ends what a restored backup would bring back to life. `as`: what it is counted as. */
  restored?(held: Stored<T>, at: RestoredAt): RestoredEnding | undefined
  /** Removes what a person wrote. The row stays, with who did what and when. */
  erased?(held: Stored<T>, whose: ErasedUser): readonly Change[]
  /** Erased rows are counted as these in the report. */
  readonly counted_as?: 'habits'
  /** What somebody granted with this key and is still in force. */
  grantOf?(row: Rows[T], key: KeyId, now: number): Omit<KeyGrant, 'ends'> | undefined
}

export type ChangeTopic<T extends Table = Table> = {
  readonly kind: GateChange['kind']
  happened(row: Rows[T], version: Version): Happened | undefined
  maySee(needs: AllOf<TopicNeeds>, caller: Caller, happened: Happened): boolean
}

/** What topics need of a gate, by who contributes them. A guest adds a field with what its own need. */
export interface TopicNeeds {}

export type RestoredAt = {
  readonly now: number
  readonly by: string
  readonly trace: () => string
}
export type RestoredEnding = { readonly as: string; readonly changes: readonly Change[] }

/** `callers`: the ids under which the person acts. */
export type ErasedUser = { readonly user: string; readonly callers: ReadonlySet<string>; readonly now: number }
