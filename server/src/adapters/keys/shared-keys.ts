import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { SharedKeyFile } from '../../kernel/ports/shared-key-file.ts'
import { NEWEST_CHECKPOINT_FILE } from './checkpoint-file.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from './key-files.ts'
import { CHECKPOINT_FILE, openKeys, TOKEN_FILE } from './key-folder.ts'
import { openRowKey, ROW_KEY_FILE } from './row-key.ts'
import { readMasterKey, SEAL_KEY_FILE } from './seal-keys.ts'

/** The gate's own among the files that every node of a store has. The others in the folder belong to one node. */
const OWN_FILES = [TOKEN_FILE, CHECKPOINT_FILE, ROW_KEY_FILE, SEAL_KEY_FILE]
const SEEN_FILE = 'keyring-seen.json'

/** The folder of keys, and what guests share of it. */
export type SharedFolder = { readonly folder: string; readonly files: readonly SharedKeyFile[] }

const namesIn = ({ files }: SharedFolder): readonly string[] => [...OWN_FILES, ...files.map(({ name }) => name)]

/** The texts of shared key files, by name. */
export type KeyFiles = Readonly<Record<string, string>>

const IV_BYTES = 12
const TAG_BYTES = 16
const PURPOSE = 'sluice.keyring.v1'

/** Encrypts key files for the store. `version`: of the stored row; a text can be opened only as that version. */
export type KeyringCipher = {
  seal(files: KeyFiles, version: number): string
  /** Undefined for a text that was not sealed with this secret as this version. */
  open(sealed: string, version: number): KeyFiles | undefined
}

export function keyringCipher(secret: Buffer): KeyringCipher {
  const key = Buffer.from(hkdfSync('sha256', secret, PURPOSE, 'encryption', 32))
  const place = (version: number) => Buffer.from(`${PURPOSE} ${version}`)
  return {
    seal(files, version) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(place(version))
      const text = Buffer.from(JSON.stringify(files))
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, version) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.byteLength <= IV_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(place(version)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
        return JSON.parse(text.toString('utf8')) as KeyFiles
      } catch {
        return undefined
      }
    },
  }
}

export function readKeyFiles(shared: SharedFolder): Result<KeyFiles> {
  const files: Record<string, string> = {}
  for (const name of namesIn(shared)) {
    const text = readPrivateFile(join(shared.folder, name))
    if (!text.ok) return text
    if (text.value !== undefined) files[name] = name === ROW_KEY_FILE ? rowKeyText(text.value) : text.value
  }
  return ok(files)
}

/** The same, and the newest checkpoint that this node knows, for nodes that join. */
export function readForStore(shared: SharedFolder): Result<KeyFiles> {
  const files = readKeyFiles(shared)
  if (!files.ok) return files
  const kept = readPrivateFile(join(shared.folder, NEWEST_CHECKPOINT_FILE))
  if (!kept.ok) return kept
  return ok(kept.value === undefined ? files.value : { ...files.value, [NEWEST_CHECKPOINT_FILE]: kept.value })
}

/**
 * A node that joins follows the audit from the checkpoint that another node knew, or from the first one. For any other node a
 * missing file means that it was removed.
 */
export function ensureCheckpointFile(folder: string, stored: KeyFiles): Result<void> {
  const file = join(folder, NEWEST_CHECKPOINT_FILE)
  const found = readPrivateFile(file)
  if (!found.ok) return found
  return found.value === undefined
    ? writePrivateFile(file, stored[NEWEST_CHECKPOINT_FILE] ?? FROM_THE_FIRST)
    : ok(undefined)
}
const FROM_THE_FIRST = `${JSON.stringify({ v: 1 })}\n`

/** Without what one node notes in it: in a database every row has its MAC. */
const rowKeyText = (text: string): string => `${JSON.stringify({ v: 1, secret: secretOf(text), sealed: true })}\n`

/** Writes those that differ. */
export function writeKeyFiles(shared: SharedFolder, files: KeyFiles): Result<void> {
  const opened = openPrivateFolder(shared.folder)
  if (!opened.ok) return opened
  const before = readKeyFiles(shared)
  if (!before.ok) return before
  for (const name of namesIn(shared)) {
    const text = files[name]
    if (text === undefined || text === before.value[name]) continue
    const written = writePrivateFile(join(shared.folder, name), text)
    if (!written.ok) return written
  }
  return ok(undefined)
}

/** Creates the keys that do not exist yet. `fresh`: nothing was stored yet, so a missing key was not lost. */
export async function makeKeyFiles(
  { folder, files }: SharedFolder,
  fresh: boolean,
  needsSealKey: boolean,
): Promise<Result<void>> {
  const made = [
    () => openKeys({ folder, fresh, env: {} }),
    () => openRowKey(folder, !fresh),
    ...(needsSealKey ? [() => readMasterKey({ folder, mayMake: fresh })] : []),
    ...files.map(
      ({ make }) =>
        () =>
          make(folder),
    ),
  ]
  for (const make of made) {
    const done = await make()
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** Whether both have the same keys. */
export const hasSameKeys = (shared: SharedFolder, one: KeyFiles, other: KeyFiles): boolean =>
  namesIn(shared).every((name) => one[name] === other[name])

/** Whether two sets of files are keys of one store. A set without the key of the rows belongs to none yet. */
export function isSameStore(one: KeyFiles, other: KeyFiles): boolean {
  const [mine, theirs] = [secretOf(one[ROW_KEY_FILE]), secretOf(other[ROW_KEY_FILE])]
  return mine === undefined || mine === theirs
}

const secretOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : /"secret":"([0-9a-f]{64})"/.exec(text)?.[1]

/** The highest version of the stored keys that this node has used; 0 if none. */
export function seenVersion(folder: string): Result<number> {
  const text = readPrivateFile(join(folder, SEEN_FILE))
  if (!text.ok) return text
  if (text.value === undefined) return ok(0)
  const found = /"version":(\d{1,15})\b/.exec(text.value)?.[1]
  return found === undefined
    ? refuse('key.absent', { file: join(folder, SEEN_FILE), why: 'unreadable' })
    : ok(Number(found))
}

export const noteVersion = (folder: string, version: number): Result<void> =>
  writePrivateFile(join(folder, SEEN_FILE), `${JSON.stringify({ v: 1, version })}\n`)
