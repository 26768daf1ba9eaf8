import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { returnedUnits } from '../kernel/approvals/pending-limits.ts'
import { newestCheckpoint, writeCheckpoint } from '../kernel/audit/write-checkpoint.ts'
import { withCompanions } from '../kernel/changes/companions.ts'
import { refuseUnrecorded } from '../kernel/changes/unrecorded.ts'
import {
  endRestored,
  restoredKeys,
  type EndedByRestore,
  type RestorePorts,
  type RestoredKey,
} from '../kernel/restore/end-restored.ts'
import { takeNewer } from '../kernel/restore/take-newer.ts'
import { loadRunKinds } from '../kernel/runs/kinds.ts'
import { endDays } from '../kernel/retention/end-days.ts'
import { LOCAL_OWNER } from '../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { openCheckpointFile } from '../adapters/keys/checkpoint-file.ts'
import { MINIMUM_VERSIONS_FILE } from '../adapters/keys/minimum-versions.ts'
import { HEAD_FILE } from '../adapters/keys/newest-entry-file.ts'
import { SEEN_FILE } from '../adapters/keys/seen-entries.ts'
import { backUpStore, restoreStore } from '../adapters/stores/back-up-store.ts'
import { storeState, type Store } from '../adapters/stores/open-store.ts'
import type { PackedFile } from '../adapters/stores/packed-file.ts'
import { filesUnder } from './backup.ts'
import { hasContents, placesIn } from './data-folder.ts'
import { tableEntries } from './guest-parts.ts'
import { GUESTS } from './guests.ts'
import { settingsOf } from './local-gate.ts'
import type { LoadedSettings } from './load-config.ts'
import { copyToDatabase } from './move-data.ts'
import { revokeCredential } from '../kernel/identity/credentials.ts'
import { issueAdminKey, ringOf, withCredentials } from './open-credentials.ts'
import { openSealedStore } from './open-sealed-store.ts'
import type { BackupReport } from './backup.ts'
import { randomIds } from './random-ids.ts'
import { MAIN_STREAM, offlineStream, storeOf } from './store-of.ts'
import { embedded, withVerified, type OfflineReport } from './verify-offline.ts'

export type RestoreReport = BackupReport & {
  /** Number of entries of the backup's audit, which was verified. */
  readonly entries: number
  /** What waited when the backup was made, and was ended. */
  readonly ended: EndedByRestore
  /** The folders that the backup replaces, and how many rows were taken from each; undefined if it could not be read. */
  readonly taken: readonly { readonly folder: string; readonly rows: number | undefined }[]
  /** The keys that are valid, without the owner's own, which is new. */
  readonly keys: readonly RestoredKey[]
}

/**
 * Creates a data folder from a backup. What waited when the backup was made is ended, and what the folder that it replaces knows
 * better is taken from there.
 * INVARIANT: the folder appears only when it is complete and its audit verifies; nothing that exists is replaced.
 */
export async function restoreData(options: UpOptions, from: string): Promise<Result<RestoreReport>> {
  const settings = settingsOf(options)
  if (!settings.ok) return settings
  const { data } = settings.value
  const file = resolve(from)
  const no = (why: string) => refuse('backup.unusable', { file, data, why })
  if (!existsSync(file)) return no('there is no such file')
  if (hasContents(data)) return no('the data folder is not empty; move it away first')
  removeUnfinished(data)
  const part = `${data}.${process.pid}.part`
  const restored = { ...settings.value, data: part }
  try {
    const files = await unpackBackup(file, part)
    if (files === undefined) return no('it was not written by `sluice backup`')
    const replaced = foldersReplaced(data)
    const made = await withVerified(
      embedded(restored),
      { against: [], compareCheckpointFile: false },
      async (verified) => (verified.report.ok ? settleRestored(restored, verified, replaced) : ok(undefined)),
    )
    if (!made.ok) return no(`its audit cannot be read (${made.problem.code})`)
    if (made.value === undefined) return no('its audit does not verify')
    const { postgres } = storeOf(settings.value)
    if (postgres !== undefined) {
      const copied = await copyToDatabase(settings.value, part, postgres)
      if (!copied.ok) return copied
    }
    // Empty except for its `.gitignore`, as checked above.
    rmSync(data, { recursive: true, force: true })
    renameSync(part, data)
    return ok({ file, data, bytes: statSync(file).size, files, ...made.value })
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

/** Revokes keys of a restored folder, for its owner. */
export async function revokeRestored(options: UpOptions, keys: readonly string[]): Promise<Result<void>> {
  const settings = settingsOf(options)
  if (!settings.ok) return settings
  return withCredentials(storeOf(settings.value), async (ring) => {
    for (const key of keys) {
      const revoked = await revokeCredential(ring, LOCAL_OWNER, key)
      if (!revoked.ok) return revoked
    }
    return ok(undefined)
  })
}

/** Unpacks a backup as it is into a new folder, and says how many files it contained. Undefined if it is not one. */
export async function unpackBackup(file: string, folder: string): Promise<number | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unpacked = await restoreStore(file, { folder }, (packed) => place(folder, packed))
  if (unpacked === undefined) return undefined
  // These were copied after the ledger, so they may name newer rows and entries. They are created again from what is restored.
  for (const name of [MINIMUM_VERSIONS_FILE, HEAD_FILE, SEEN_FILE])
    rmSync(join(placesIn(folder).keys, name), { force: true })
  return unpacked.files
}

/** A name in a backup that leads out of the folder was not written by us. */
function place(folder: string, { path, mode, bytes }: PackedFile): void {
  const target = resolve(folder, path)
  const inside = relative(folder, target)
  if (inside.startsWith('..') || isAbsolute(inside)) throw new Error(`\`${path}\` leads out of the folder`)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(target, bytes, { mode, flag: 'wx', flush: true })
}

type Settled = Omit<RestoreReport, 'file' | 'data' | 'bytes' | 'files'>

/**
 * Makes the contents of a restored folder the newest known state, without anything that a backup must not bring back: its checkpoints
 * may be older than the one stored with the copied keys. All of this is recorded in the audit.
 */
async function settleRestored(
  settings: LoadedSettings,
  { report, store, deps, data }: OfflineReport,
  replaced: readonly string[],
): Promise<Result<Settled>> {
  const ledger = withCompanions(store.ledger, [returnedUnits, endDays(Date.now)])
  const kinds = await loadRunKinds(GUESTS)
  const ending: RestorePorts = {
    ...store,
    ledger,
    clock: Date.now,
    ids: randomIds,
    kinds,
    tableEntries: await tableEntries(),
  }
  const taken = []
  for (const folder of replaced) taken.push({ folder, rows: await takeFrom(settings, folder, ending) })
  const ended = await endRestored(ending)
  const admin = await issueAdminKey(await ringOf(store), data)
  if (!admin.ok) return admin
  const keys = (await restoredKeys(ending)).filter(({ caller }) => caller !== LOCAL_OWNER.id)
  const checkpointFile = openCheckpointFile(placesIn(data).keys)
  const { broken, newest: before } = checkpointFile.state()
  const newest = await newestCheckpoint(store.tables)
  const about = {
    checkpoint: newest?.body.number ?? 0,
    kept: before?.body.number ?? 0,
    ...ended,
    taken: taken.reduce((sum, { rows = 0 }) => sum + rows, 0),
  }
  const entry = {
    at: Date.now(),
    type: 'ledger.restored' as const,
    actor: LOCAL_OWNER.id,
    trace: randomIds.trace(),
    subject: {},
  }
  const recorded = await store.ledger.commit([{ kind: 'audit', entry: { ...entry, about } }])
  if (recorded !== 'committed') return refuseUnrecorded(recorded)
  const written = await checkpointFile.keep({
    ...(newest === undefined ? {} : { newest }),
    ...(broken === undefined ? {} : { broken }),
  })
  if (!written.ok) return written
  const settled = { entries: report.entries, ended, taken, keys }
  if (broken !== undefined || report.streams.every(({ stream }) => stream === MAIN_STREAM)) return ok(settled)
  // Streams of several nodes that nobody has signed yet would be rejected by the gate that starts here.
  const signed = await writeCheckpoint({ ...deps, ledger: store.ledger, checkpointFile, clock: Date.now })
  return signed.ok ? ok(settled) : signed
}

/**
 * What `mv .sluice .sluice.old` leaves, under any such name. Every one of them is read: the more is known, the less is allowed.
 */
function foldersReplaced(data: string): readonly string[] {
  const name = basename(data)
  return readdirSync(dirname(data), { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && entry.name.startsWith(name) && /^[.~_ -]/.test(entry.name.slice(name.length)),
    )
    .map((entry) => join(dirname(data), entry.name))
    .filter((folder) => !UNFINISHED.test(folder) && existsSync(placesIn(folder).keys))
    .toSorted()
}

/** Reads a copy: the folder is evidence, and stays as it is. Undefined if it cannot be read. */
async function takeFrom(settings: LoadedSettings, folder: string, to: RestorePorts): Promise<number | undefined> {
  const copy = join(settings.data, 'replaced')
  const file = join(settings.data, 'replaced.backup')
  let store: Result<Store> | undefined
  try {
    const { postgres: _, ...settled } = storeOf(settings)
    const from = { ...settled, folder }
    const state = await storeState(from)
    if (!state.ok || state.value === undefined) return undefined
    const copied = await backUpStore(from, file, filesUnder(placesIn(folder).keys, 'keys/'), '')
    if (!copied.ok || (await unpackBackup(file, copy)) === undefined) return undefined
    const place = { ...settled, folder: copy }
    store = await openSealedStore({ ...place, stream: offlineStream(place), onFault: () => {}, onRejected: () => {} })
    return store.ok ? await takeNewer(to, store.value) : undefined
  } catch {
    return undefined
  } finally {
    if (store?.ok === true) await store.value.close()
    rmSync(copy, { recursive: true, force: true })
    rmSync(file, { force: true })
  }
}

const UNFINISHED = /\.(\d+)\.part$/

/** What a restore that was killed left beside the folder: a copy of the keys. */
function removeUnfinished(data: string): void {
  if (!existsSync(dirname(data))) return
  for (const name of readdirSync(dirname(data))) {
    const pid = name.startsWith(`${basename(data)}.`) ? Number(UNFINISHED.exec(name)?.[1] ?? 0) : 0
    if (pid > 0 && !isAlive(pid)) rmSync(join(dirname(data), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
