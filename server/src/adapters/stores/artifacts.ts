import { hash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifacts } from '../../kernel/ports/artifacts.ts'
import { Sha256 } from '../../kernel/contract/ids.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import { artifactBytes } from './artifact-bytes.ts'
import type { Sealer } from './store-engine.ts'
import { range } from './text-range.ts'

/**
 * Artifacts as files: `<sha256 of the owner>/<sha256 of the text>`. Both names are created here from hex digits, so that neither
 * an owner nor a pointer can choose a path. A file whose text no longer has its digest is ignored. An owner with a lone surrogate
 * has no artifacts: as bytes it would equal every other such owner.
 */
export function fileArtifacts(folder: string, sealer?: Sealer): Artifacts {
  const nameOf = (owner: string) => hash('sha256', owner)
  const folderOf = (owner: string) => join(folder, nameOf(owner))
  const stored = artifactBytes(sealer)

  return {
    async put(owner, text) {
      if (!owner.isWellFormed()) return undefined
      const bytes = Buffer.from(text, 'utf8')
      const digest = hash('sha256', bytes)
      const folderOfOwner = folderOf(owner)
      try {
        await mkdir(folderOfOwner, { recursive: true, mode: 0o700 })
        await write(folderOfOwner, digest, stored.encode(bytes, nameOf(owner), digest))
        return digest
      } catch {
        return undefined
      }
    },

    async read(owner, digest, from, length) {
      if (!isCount(from) || !isCount(length)) throw new Bug('a range is two whole numbers, 0 or more')
      if (!owner.isWellFormed() || !Sha256.safeParse(digest).success) return undefined
      const bytes = await bytesOf(join(folderOf(owner), digest))
      if (bytes?.length === 0 && digest !== EMPTY) return 'expired'
      const text = bytes === undefined ? undefined : stored.decode(bytes, nameOf(owner), digest)
      return text === undefined ? undefined : { text: range(text, from, length), size: text.length }
    },

    async expire(before) {
      let removed = 0
      for await (const folderOfOwner of entriesIn(folder))
        removed += await emptyAll(join(folder, folderOfOwner), before)
      return removed
    },

    async erase(owner) {
      return owner.isWellFormed() ? emptyAll(folderOf(owner), Number.POSITIVE_INFINITY) : 0
    },
  }
}

/** The digest of no text at all. */
const EMPTY = hash('sha256', '')

/** Names in a folder, in no order; none if it does not exist. */
async function* entriesIn(folder: string): AsyncGenerator<string> {
  const opened = await opendir(folder).catch(() => undefined)
  if (opened !== undefined) for await (const { name } of opened) yield name
}

async function emptyAll(folderOfOwner: string, before: number): Promise<number> {
  let removed = 0
  for await (const name of entriesIn(folderOfOwner)) {
    if (name.endsWith('.part')) await removeStale(join(folderOfOwner, name), before)
    else if (await empty(join(folderOfOwner, name), before)) removed += 1
  }
  return removed
}

/**
 * An empty file remains, which says that there was one.
 * INVARIANT: its age is read from the opened file, so that a text stored under the same name in the meantime is another file and
 * stays.
 */
async function empty(path: string, before: number): Promise<boolean> {
  try {
    const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    try {
      const { size, mtimeMs } = await file.stat()
      if (size === 0 || mtimeMs >= before) return false
      await file.truncate(0)
      await file.sync()
      return true
    } finally {
      await file.close()
    }
  } catch {
    return false
  }
}

/** Removes what a killed process left while it was writing. */
async function removeStale(path: string, before: number): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && found.mtimeMs < Math.min(before, Date.now() - STALE_MS)) await rm(path, { force: true })
}
const STALE_MS = 3_600_000

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0

/** All or nothing: readers see the name only when the bytes are on disk. */
async function write(folderOfOwner: string, name: string, bytes: Uint8Array): Promise<void> {
  const part = join(folderOfOwner, `${randomUUID()}.part`)
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, join(folderOfOwner, name))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(folderOfOwner)
}

/** Makes the new name durable. Windows has no such call, and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    // A link in place of the file would lead out of the folder. Windows has no such flag and gives 0.
    return await readFile(path, { flag: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) })
  } catch {
    return undefined
  }
}
