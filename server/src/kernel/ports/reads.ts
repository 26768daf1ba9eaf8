import type { AuditEntry } from '../contract/audit.ts'
import type { RunId, Sha256 } from '../contract/ids.ts'
import type { RunEvent } from '../contract/run.ts'
import type { ListedBy, Rows, SEARCHED_BY, Table, Version } from './ledger.ts'

export type Stored<T extends Table> = { readonly version: Version; readonly row: Rows[T]; readonly cursor: number }

export type Where<T extends Table> = {
  readonly [Field in ListedBy[T][number] & keyof Rows[T]]?: Rows[T][Field]
}

/**
 * `after` is a `cursor` of the previous page; order is by first insertion.
 * INVARIANT: rows become visible in the order of their cursors. Once a reader has seen a row, no row with a smaller cursor
 * appears, so a reader that continues after the last cursor it saw misses nothing. With a single writer this is automatic. An
 * engine with several writers must not take a cursor from a sequence at insertion, because a transaction that took its number
 * early may commit late: it assigns cursors one commit at a time (a lock held until the commit), or withholds rows behind an open
 * one. The same applies to the numbers of a run's events.
 */
export type Page = { readonly limit: number; readonly after?: number; readonly newest_first?: boolean }

export interface Tables {
  row<T extends Table>(table: T, id: string): Promise<Stored<T> | undefined>
  list<T extends Table>(table: T, where: Where<T>, page: Page): Promise<readonly Stored<T>[]>
  count<T extends Table>(table: T, where: Where<T>): Promise<number>
  /** Set only if this process is the only writer. One of several nodes always has to read. */
  readonly known_rows?: KnownRows
}

/** Answers that are known without a read. INVARIANT: a read would return the same. */
export interface KnownRows {
  /** Undefined if it has to be read. */
  row<T extends Table>(table: T, id: string): { readonly held: Stored<T> | undefined } | undefined
  /** Whether there is surely no such row. */
  isAbsent<T extends Table>(table: T, where: Where<T>): boolean
  /** Whether surely no label of this session has a larger cursor. */
  isLastLabel(session: string, cursor: number): boolean
}

/** What rows can be searched by. All given fields must match. */
export type SearchWhere = {
  readonly state?: string
  readonly tool_id?: string
  /** The id of the row's caller, and its user. */
  readonly caller?: string
  readonly user?: string
  /** Received not before, and not after. Only for calls. */
  readonly since?: number
  readonly until?: number
}
export type SearchTable = keyof typeof SEARCHED_BY

/** There may be a `next` although the page is not full, or empty: one page reads a limited number of rows. */
export type FoundPage<T> = { readonly items: readonly T[]; readonly next?: number }

export interface Searches {
  /** A page costs the same however many rows there are. */
  search<T extends SearchTable>(table: T, where: SearchWhere, page: Page): Promise<FoundPage<Stored<T>>>
}

export interface Accounts {
  /** The units left; undefined if there is no such account. */
  left(account: string): Promise<number | undefined>
}

export interface AuditReads {
  /** Entries of one stream in order, as stored: a broken one is returned as it is, for `verify` to judge. */
  entries(stream: string, from: number, limit: number): Promise<readonly AuditEntry[]>
  /** Of `count` entries beginning with number `from`: the first one, for its time, and those whose text contains `id`. */
  naming(id: string, stream: string, from: number, count: number): Promise<readonly AuditEntry[]>
  /** The same for the last `count` entries of each stream. `seq`: the number of its last entry. */
  namingNewest(
    id: string,
    count: number,
  ): Promise<readonly { stream: string; seq: number; entries: readonly AuditEntry[] }[]>
  /**
   * The hashes of the entries from `from` on, as far as each text surely names the one before it; the first follows `head`. Cheaper
   * than reading them. It may stop early: then `entries` decides.
   */
  linkedHashes(stream: string, from: number, head: string, limit: number): Promise<readonly string[]>
  /** The last entry of each stream, according to the store. `forged`: no gate with the key of the rows stored this head. */
  heads(): Promise<readonly { stream: string; seq: number; hash: Sha256; forged?: true }[]>
  /** Streams of all nodes, each announced by a node that has the key of the rows. If absent, there is one node. */
  announced?(): Promise<ReadonlySet<string>>
}

/** A wake-up; its time is 0 if it is due immediately. */
export type DueRun = { readonly run: RunId; readonly at: number }

export interface Journal {
  events(run: RunId, after: number, limit: number): Promise<readonly { seq: number; event: RunEvent }[]>
  /** Runs with a wake-up that is due at `now`, the longest overdue first, after the last one of the previous page. */
  due(now: number, limit: number, after?: DueRun): Promise<readonly DueRun[]>
  /** When the next wake-up after `now` is due. */
  nextDue(now: number): Promise<number | undefined>
  /** Called after a commit with a `wake` is durable. Embedded: in this process only. */
  onWake(listener: (run: RunId, at: number | undefined) => void): void
}
