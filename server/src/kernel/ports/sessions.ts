import type { Config } from '../contract/config.ts'
import type { CallRow } from '../contract/call.ts'
import type { CallerNames } from '../contract/caller-identity.ts'
import type { Artifacts } from './artifacts.ts'
import type { Tables } from './reads.ts'
import type { MaybePromise, YieldWhenDue } from './runtime.ts'

/** What a session has read, prepared for judging. The guest that judges by it adds its fields by declaration merging. */
export interface SessionState {
  /** Whether this text is already the latest of the user's words, trusted or not. */
  isLatest(text: string): boolean
}

/** Reads what is recorded of sessions. The records themselves are the labels in the store. */
export type Sessions = {
  /** Everything that has been recorded of the session up to now. Rejects if the store cannot be read. */
  read(caller: CallerNames, thread: string): MaybePromise<SessionState>
  /**
   * Something was recorded: it is read in the background, so that the next call need not wait for it. `call`: the call whose answer it is,
   * as recorded.
   */
  note(caller: CallerNames, thread: string, call?: CallRow): void
  /** As it was when a call was made: what entered later is left out. */
  readUntil(caller: CallerNames, thread: string, at: number): Promise<SessionState>
}

export type SessionsPorts = {
  readonly tables: Pick<Tables, 'row' | 'list' | 'known_rows'>
  readonly artifacts: Pick<Artifacts, 'read'>
  readonly judgement: Pick<Config, 'servers'>
  readonly yieldWhenDue: YieldWhenDue
}

export type OpenSessions = (deps: SessionsPorts) => Sessions

/** For a gate without the guest that judges by what was read. Words are recorded with every call. */
export const unreadSessions: OpenSessions = () => {
  // Nobody reads the fields that a guest would have added.
  const unread = { isLatest: () => false } as object as SessionState
  return { read: () => unread, note: () => undefined, readUntil: async () => unread }
}
