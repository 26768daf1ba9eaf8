import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { aboutWith, ok, refuse, type Result } from '../kernel/contract/problems.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { backUpStore, isStoreFile } from '../adapters/stores/back-up-store.ts'
import { storeState } from '../adapters/stores/open-store.ts'
import type { PackedFile } from '../adapters/stores/packed-file.ts'
import { openRowKey } from '../adapters/keys/row-key.ts'
import { placesIn } from './data-folder.ts'
import { settingsMeant } from './local-gate.ts'
import { storeOf } from './store-of.ts'

export type BackupReport = {
  readonly file: string
  readonly data: string
  readonly bytes: number
  /** Files besides the ledger: keys, artifacts, secrets, files of tool servers. */
  readonly files: number
}

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
    if (!written.ok) return { ok: false, problem: aboutWith(written.problem, { ...written.problem.about, file }) }
    renameSync(part, file)
    return ok({ file, data, bytes: statSync(file).size, files: written.value.files })
  } finally {
    rmSync(part, { force: true })
  }
}

function* filesIn(data: string): Generator<PackedFile> {
  yield* filesUnder(data, '')
  // In the backup they are in the data folder; the next start moves them beside it again.
  const { servers } = placesIn(data)
  if (existsSync(servers)) yield* filesUnder(servers, 'servers/')
}

/** The files of a folder, as they are packed under a name. */
export function* filesUnder(folder: string, under: string): Generator<PackedFile> {
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
