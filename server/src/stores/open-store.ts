import { join } from 'node:path'
import type { OwnTail } from '../commands/ports/audit.ts'
import type { Artifacts } from '../commands/ports/artifacts.ts'
import type { Liveness } from '../commands/ports/liveness.ts'
import type { Notices } from '../commands/ports/notices.ts'
import type { Ledger, Outcomes } from '../commands/ports/ledger.ts'
import type { Accounts, AuditReads, Journal, Searches, Shelves } from '../commands/ports/reads.ts'
import type { AuditBroken } from '../contract/audit.ts'
import { ok, type Result } from '../contract/problems.ts'
import { localNodes } from './local-notices.ts'
import { joinBoots } from './sqlite/boot-locks.ts'
import { fileArtifacts } from './artifacts.ts'
import { ledgerFile, ledgerFiles, ledgerState } from './sqlite/ledger-file.ts'
import { lockFolder } from './sqlite/lock-folder.ts'
import { openSqliteLedger } from './sqlite/open-sqlite-ledger.ts'
import { connectForReads } from './sqlite/connect.ts'
import { reads } from './sqlite/reads.ts'
import type { OnForged } from './stored-values.ts'
import { rowMacs, type RowKey } from './row-mac.ts'
import { FIRST_WITH_MACS, isOlder, schemaOf } from './sqlite/schema.ts'

/** Which store is meant: the one in this data folder. */
export type StoreSettings = { readonly folder: string }

export type StoreSetup = StoreSettings & {
  /** The audit stream that this process appends to. */
  readonly stream: string
  /** The key of the MACs that every row carries, from beside the keys. */
  readonly rows: RowKey
  /** Told of rows that this gate did not write, each time one is met. They are not handed out. */
  readonly onForged?: OnForged
  /** No other process writes while this is open, so the engine may cache reads. Only for the holder of the lock. */
  readonly alone?: boolean
  /** The script of the thread that writes; crash tests bring one that dies. */
  readonly script?: URL | undefined
  /** Told why commits are `unavailable`. The store tries again with the next commit. */
  readonly onFault: (error: Error) => void
  /** Told when the stored audit stream is not the one that this process wrote. */
  readonly onDiverged?: (found: Omit<AuditBroken, 'at'>) => void
}

/** Everything that is stored, as ports. Which engine stands behind them is known in this folder only. */
export type Store = {
  readonly ledger: Ledger & Outcomes
  readonly shelves: Shelves
  readonly searches: Searches
  readonly accounts: Accounts
  readonly audit: AuditReads
  readonly tail: OwnTail
  readonly journal: Journal
  readonly artifacts: Artifacts
  /** Overwrites what is left of removed texts in the store's files. */
  scrub(): Promise<void>
  /** Waits for the commits under way; later ones are `unavailable`. */
  close(): Promise<void>
}

/** Opens the store, creates it where there is none, and applies missing migrations. */
export async function openStore({ folder, ...setup }: StoreSetup): Promise<Result<Store>> {
  const opened = await openSqliteLedger({ file: ledgerFile(folder), ...setup })
  if (!opened.ok) return opened
  const { value: engine } = opened
  return ok({
    ledger: engine,
    shelves: engine,
    searches: engine,
    accounts: engine,
    audit: engine,
    tail: engine,
    journal: engine,
    artifacts: fileArtifacts(join(folder, 'artifacts')),
    scrub: () => engine.scrub(),
    close: () => engine.close(),
  })
}

/** This process as one of the nodes that share the store. */
export type StoreNode = {
  readonly notices: Notices
  readonly liveness: Liveness
  /** The audit stream that this node appends to. Nodes whose writers would queue behind one another have one each. */
  readonly stream: string
  /** Dead for the other nodes from then on. */
  leave(): void
}

/** Joins the nodes of a store, before anything is written there in this boot's name. */
export function joinStore({ folder }: StoreSettings): Result<StoreNode> {
  const joined = joinBoots(join(folder, 'boots'))
  if (!joined.ok) return joined
  const notices = localNodes().join()
  return ok({
    notices,
    liveness: joined.value,
    // The embedded engine has one writer: docs/decisions/2026-11-15-notices-and-liveness.md
    stream: 'main',
    leave() {
      notices.leave()
      joined.value.leave()
    },
  })
}

export type StoreLock = { release(): void }

/** Keeps other gates from the store until it is released or this process ends. `gate.running` when another one holds it. */
export async function lockStore({ folder }: StoreSettings): Promise<Result<StoreLock>> {
  return lockFolder(folder)
}

/** `written_at`: the time of the last write by the store's own clock, in milliseconds. */
export type StoreState = { readonly bytes: number; readonly written_at: number }

/** The state of a store that need not be open. Undefined when nothing was ever stored there. */
export async function storeState({ folder }: StoreSettings): Promise<StoreState | undefined> {
  return ledgerState(ledgerFile(folder))
}

/** Whether the store was last opened by an older release, so that opening it applies migrations. */
export async function needsMigration({ folder }: StoreSettings): Promise<boolean> {
  return isOlder(ledgerFile(folder))
}

/** Only reads, of a store that another process may have open. */
export function openForReads(
  { folder }: StoreSettings,
  key: string,
  onForged: OnForged,
): { readonly shelves: Shelves; close(): void } {
  const db = connectForReads(ledgerFile(folder))
  return { shelves: reads(db, rowMacs(key), onForged), close: () => db.close() }
}

/** Whether the rows of this store carry MACs: then there is a key for them, or it was lost. */
export function hasRowMacs({ folder }: StoreSettings): boolean {
  const file = ledgerFile(folder)
  return ledgerState(file) !== undefined && (schemaOf(file) ?? 0) >= FIRST_WITH_MACS
}

/** The files on this machine that hold the store's data: no tool may reach them under any name. */
export function storeFiles({ folder }: StoreSettings): readonly string[] {
  return ledgerFiles(folder)
}
