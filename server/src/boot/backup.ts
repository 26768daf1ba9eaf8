import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { BackupReport } from '../doors/cli/boot-reports.ts'
import type { UpOptions } from '../doors/cli/local-gate.ts'
import { HEAD_FILE } from '../keys/newest-entry-file.ts'
import { SEEN_FILE } from '../keys/seen-entries.ts'
import { MINIMUM_VERSIONS_FILE } from '../keys/minimum-versions.ts'
import { backUpStore, isStoreFile, restoreStore } from '../stores/back-up-store.ts'
import { storeState } from '../stores/open-store.ts'
import type { PackedFile } from '../stores/packed-file.ts'
import { openRowKey } from '../keys/row-key.ts'
import { placesIn } from './data-folder.ts'
import { settingsMeant, settingsOf } from './local-gate.ts'
import { copyToDatabase } from './move-data.ts'
import { storeOf } from './store-of.ts'
import { verifyRestored } from './verify-offline.ts'

/** Belongs to one running gate, or is created again by the next. */
const PASSING = /^gate\./
/** A file that is being written, and gets its real name when it is complete. */
const UNFINISHED = /\.(?:part|new)$/

/**
 * One file with the ledger, the keys and everything else in the data folder. The gate may keep running: the ledger is copied
 * first, and what it refers to was on disk before.
 */
export async function backUpData(options: UpOptions, to: string): Promise<Result<BackupReport>> {
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const { data } = settings.value
  const file = resolve(to)
  const store = storeOf(settings.value)
  const state = await storeState(store)
  if (!state.ok) return state
  if (state.value === undefined) return refuse('gate.absent', { data })
  if (existsSync(file)) return refuse('backup.exists', { file })
  const part = `${file}.${process.pid}.files.part`
  try {
    const key = openRowKey(placesIn(data).keys, true)
    if (!key.ok && store.postgres !== undefined) return key
    const written = await backUpStore(store, part, filesIn(data), key.ok ? key.value.key : '')
    // The name of the part would mean nothing to the person.
    if (!written.ok) return refuse(written.problem.code, { ...written.problem.about, file })
    renameSync(part, file)
    return ok({ file, data, bytes: statSync(file).size, files: written.value.files })
  } finally {
    rmSync(part, { force: true })
  }
}

function* filesIn(data: string): Generator<PackedFile> {
  yield* packedFrom(data, '')
  // In the backup they are in the data folder; the next start moves them beside it again.
  const { servers } = placesIn(data)
  if (existsSync(servers)) yield* packedFrom(servers, 'servers/')
}

function* packedFrom(folder: string, under: string): Generator<PackedFile> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    const top = path.split(sep)[0] ?? ''
    const isPassing = under === '' && (isStoreFile(top) || PASSING.test(top))
    if (!entry.isFile() || isPassing || UNFINISHED.test(entry.name)) continue
    const packed = contentOf(join(folder, path))
    if (packed !== undefined) yield { path: `${under}${path.split(sep).join('/')}`, ...packed }
  }
}

/** Undefined if the running gate has removed the file since the folder was listed, such as an artifact that expired. */
function contentOf(file: string): Omit<PackedFile, 'path'> | undefined {
  try {
    return { mode: statSync(file).mode & 0o777, bytes: readFileSync(file) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Creates a data folder from a backup.
 * INVARIANT: the folder appears only when it is complete and its audit verifies; nothing that exists is replaced.
 */
export async function restoreData(options: UpOptions, from: string): Promise<Result<BackupReport>> {
  const settings = settingsOf(options)
  if (!settings.ok) return settings
  const { data } = settings.value
  const file = resolve(from)
  const no = (why: string) => refuse('backup.unusable', { file, data, why })
  if (!existsSync(file)) return no('there is no such file')
  if (existsSync(data) && readdirSync(data).some((name) => name !== '.gitignore'))
    return no('the data folder is not empty; move it away first')
  const part = `${data}.${process.pid}.part`
  try {
    mkdirSync(part, { recursive: true, mode: 0o700 })
    const unpacked = await restoreStore(file, { folder: part }, (packed) => place(part, packed))
    if (unpacked === undefined) return no('it was not written by `sluice backup`')
    // These were copied after the ledger, so they may name newer rows and entries. They are created again from what is restored.
    for (const name of [MINIMUM_VERSIONS_FILE, HEAD_FILE, SEEN_FILE])
      rmSync(join(placesIn(part).keys, name), { force: true })
    const verified = await verifyRestored(options, part)
    if (!verified.ok) return no(`its audit cannot be read (${verified.problem.code})`)
    const { ok: is_sound, entries } = verified.value
    if (!is_sound) return no('its audit does not verify')
    const { postgres } = storeOf(settings.value)
    if (postgres !== undefined) {
      const copied = await copyToDatabase(settings.value, part, postgres)
      if (!copied.ok) return copied
    }
    // Empty except for its `.gitignore`, as checked above.
    rmSync(data, { recursive: true, force: true })
    renameSync(part, data)
    return ok({ file, data, bytes: statSync(file).size, files: unpacked.files, entries })
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

/** A name in a backup that leads out of the folder was not written by us. */
function place(folder: string, { path, mode, bytes }: PackedFile): void {
  const target = resolve(folder, path)
  const inside = relative(folder, target)
  if (inside.startsWith('..') || isAbsolute(inside)) throw new Error(`\`${path}\` leads out of the folder`)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(target, bytes, { mode, flag: 'wx' })
}
