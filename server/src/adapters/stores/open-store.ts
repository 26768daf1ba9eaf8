import { ok, type Result } from '../../kernel/contract/problems.ts'
import { sealStore } from './seal-store.ts'
import { embeddedEngine } from './sqlite/embedded-engine.ts'
import { ledgerFiles } from './sqlite/ledger-file.ts'
import { lockFolder } from './sqlite/lock-folder.ts'
import type {
  JoinSetup,
  KeyringWork,
  OpenedForReads,
  Store,
  StoreEngine,
  StoreMember,
  StoreSettings,
  StoreSetup,
  StoreState,
} from './store-engine.ts'
import type { OnForged } from './stored-values.ts'

export type {
  KeyringWork,
  Store,
  StoredKeyring,
  StoreMember,
  StoreSettings,
  StoreSetup,
  StoreState,
} from './store-engine.ts'

/** The only place that chooses an engine. The one for databases is loaded with the first store that needs it. */
async function engineOf({ postgres }: StoreSettings): Promise<StoreEngine> {
  return postgres === undefined ? embeddedEngine : (await import('./postgres/postgres-engine.ts')).postgresEngine
}

/** Opens the store, creates it if there is none, and applies missing migrations. */
export async function openStore(setup: StoreSetup): Promise<Result<Store>> {
  const opened = await (await engineOf(setup)).open(setup)
  const { sealer } = setup
  return opened.ok && sealer !== undefined ? ok(sealStore(opened.value, sealer)) : opened
}

const NO_CALLBACKS: JoinSetup = { onOwnDeath: () => {}, onFault: () => {}, onRedisFault: () => {} }

/** Joins the nodes of a store, before anything is written there in this boot's name. */
export async function joinStore(
  settings: StoreSettings,
  setup: JoinSetup = NO_CALLBACKS,
): Promise<Result<StoreMember>> {
  return (await engineOf(settings)).join(settings, setup)
}

export type StoreLock = { release(): void }

/** Locks the data folder until it is released or this process ends. `gate.running` if another process holds the lock. */
export async function lockStore({ folder }: StoreSettings): Promise<Result<StoreLock>> {
  return lockFolder(folder)
}

/** The state of a store that need not be open. Undefined if nothing was ever stored there. */
export async function storeState(settings: StoreSettings): Promise<Result<StoreState | undefined>> {
  return (await engineOf(settings)).state(settings)
}

/** Whether the store was last opened by an older release, so that opening it applies migrations. */
export async function needsMigration(settings: StoreSettings): Promise<boolean> {
  return (await engineOf(settings)).needsMigration(settings)
}

/** Read-only, for a store that another process may have open. */
export async function openForReads(settings: StoreSettings, key: string, onForged: OnForged): Promise<OpenedForReads> {
  return (await engineOf(settings)).openForReads(settings, key, onForged)
}

/** Whether the rows of this store have MACs: then there is a key for them, or it was lost. */
export async function hasRowMacs(settings: StoreSettings): Promise<boolean> {
  return (await engineOf(settings)).hasRowMacs(settings)
}

/**
 * Runs `work` while no other node reads or changes the shared keys, and stores what it returns. Undefined if one node has the
 * store to itself.
 */
export async function withKeyring<T>(settings: StoreSettings, work: KeyringWork<T>): Promise<Result<T> | undefined> {
  return (await engineOf(settings)).withKeyring?.(settings, work)
}

/** The files on this machine that contain the store's data: no tool may access them under any name. */
export function storeFiles({ folder }: StoreSettings): readonly string[] {
  return ledgerFiles(folder)
}
