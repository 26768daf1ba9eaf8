import { lstat, open, readdir } from 'node:fs/promises'
import { constants } from 'node:fs'
import { join } from 'node:path'
import type { HealthFile } from './health-evidence.ts'

const NAME = /^trinity_health_.*\.json$/
const MOST_BYTES = 1_048_576
/** If there are more files, only the most recently written ones are read. */
const MOST_FILES = 256
const ABSENT = 'ENOENT'

type Seen = { readonly stamp: string; readonly file: HealthFile }

/**
 * The health files of a folder. Each is read again only if it changed; links are not followed, and nothing huge is read. A folder
 * that does not exist yet is empty.
 */
export function healthFiles(folder: string): () => Promise<readonly HealthFile[] | undefined> {
  let seen = new Map<string, Seen>()
  return async () => {
    try {
      const names = (await readdir(folder)).filter((name) => NAME.test(name))
      const looked = await Promise.all(names.map((name) => look(folder, name)))
      const newest = looked
        .filter((one) => one !== undefined)
        .toSorted((a, b) => b.changed_at - a.changed_at)
        .slice(0, MOST_FILES)
      const entries = await Promise.all(
        newest.map(async (one): Promise<[string, Seen]> => {
          const known = seen.get(one.name)
          if (known?.stamp === one.stamp) return [one.name, known]
          return [one.name, { stamp: one.stamp, file: await readFile(folder, one) }]
        }),
      )
      seen = new Map(entries)
      return [...seen.values()].map(({ file }) => file)
    } catch (error) {
      return codeOf(error) === ABSENT ? [] : undefined
    }
  }
}

type Looked = {
  readonly name: string
  readonly changed_at: number
  readonly stamp: string
  readonly fault?: string
}

/** Undefined for a file that has been removed. */
async function look(folder: string, name: string): Promise<Looked | undefined> {
  try {
    const { mtimeMs, size, ino, ctimeMs, isLink, isFile } = statsOf(await lstat(join(folder, name)))
    const fault = isLink ? 'is a link' : !isFile ? 'is not a file' : size > MOST_BYTES ? 'is too large' : undefined
    const seen = { name, changed_at: mtimeMs, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}` }
    return fault === undefined ? seen : { ...seen, fault }
  } catch (error) {
    if (codeOf(error) === ABSENT) return undefined
    throw error
  }
}

function statsOf(stats: Awaited<ReturnType<typeof lstat>>) {
  const { mtimeMs, size, ino, ctimeMs } = stats
  const isLink = stats.isSymbolicLink()
  return { mtimeMs: Number(mtimeMs), size: Number(size), ino, ctimeMs, isLink, isFile: stats.isFile() }
}

async function readFile(folder: string, { name, changed_at, fault }: Looked): Promise<HealthFile> {
  if (fault !== undefined) return { name, changed_at, fault }
  try {
    // Whatever replaced it since it was checked: not a link, not a pipe to wait for, and never more than the limit.
    const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const buffer = Buffer.alloc(MOST_BYTES + 1)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
      if (bytesRead > MOST_BYTES) return { name, changed_at, fault: 'is too large' }
      return { name, changed_at, text: buffer.toString('utf8', 0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch {
    return { name, changed_at, fault: 'cannot be read' }
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
