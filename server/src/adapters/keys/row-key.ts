import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from './key-files.ts'

export const ROW_KEY_FILE = 'row-key.json'

const KEY = /^[0-9a-f]{64}$/

/** The key of the MACs of all rows. `sealed`: every row has got its MAC, so a row without one was not written by the gate. */
export type OpenedRowKey = {
  readonly key: string
  readonly sealed: boolean
  /** The same for the heads of the audit. */
  readonly heads: boolean
  /** The same for single-use keys and their sums. */
  readonly onces: boolean
  /** To be called when every row and every single-use key has its MAC, and the heads too if the engine gives them one. Durable on return. */
  noteSealed(heads: boolean): Result<void>
}

type RowKeyFile = {
  readonly v: 1
  readonly secret: string
  readonly sealed: boolean
  /** Absent in files of earlier releases. */
  readonly heads?: boolean
  readonly onces?: boolean
}

/**
 * Opens the key, and creates one if there is none. `hasMacs`: the rows have MACs, so there was a key; then a missing one was lost
 * (`key.absent`), and is never silently replaced: the next sealing would accept every forged row.
 */
export function openRowKey(folder: string, hasMacs: boolean): Result<OpenedRowKey> {
  const opened = openPrivateFolder(folder)
  if (!opened.ok) return opened
  const file = join(folder, ROW_KEY_FILE)
  const text = readPrivateFile(file)
  if (!text.ok) return text
  if (text.value !== undefined) {
    const found = parsed(text.value)
    return found === undefined
      ? refuse('key.absent', { file, why: 'unreadable or too short' })
      : ok(usable(file, found))
  }
  if (hasMacs) return refuse('key.absent', { file, why: 'missing' })
  return makeRowKey(folder)
}

/** A new key, with which every row is sealed at the next start. */
function makeRowKey(folder: string): Result<OpenedRowKey> {
  const file = join(folder, ROW_KEY_FILE)
  const made: RowKeyFile = { v: 1, secret: randomBytes(32).toString('hex'), sealed: false }
  const written = write(file, made)
  return written.ok ? ok(usable(file, made)) : written
}

const usable = (file: string, found: RowKeyFile): OpenedRowKey => ({
  key: found.secret,
  sealed: found.sealed,
  heads: found.heads === true,
  onces: found.onces === true,
  noteSealed: (heads) =>
    found.sealed && found.onces === true && (found.heads === true || !heads)
      ? ok(undefined)
      : write(file, { ...found, sealed: true, onces: true, ...(heads ? { heads } : {}) }),
})

const write = (file: string, value: RowKeyFile): Result<void> => writePrivateFile(file, `${JSON.stringify(value)}\n`)

function parsed(text: string): RowKeyFile | undefined {
  try {
    const { v, secret, sealed, heads, onces } = (JSON.parse(text) ?? {}) as Partial<Record<keyof RowKeyFile, unknown>>
    const isUsable = v === 1 && typeof secret === 'string' && KEY.test(secret) && typeof sealed === 'boolean'
    if (!isUsable) return undefined
    return { v, secret, sealed, ...(heads === true ? { heads } : {}), ...(onces === true ? { onces } : {}) }
  } catch {
    return undefined
  }
}
