import type { Followed, OwnFiles, OwnPlace } from '../../kernel/ports/files.ts'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { followLinks } from '../../adapters/upstream/follow-links.ts'

const NOTHING_THERE: readonly (string | undefined)[] = []
const KEPT_MS = 2_000
const MOST_KEPT = 10_000

type Known = {
  /** As written and with links followed, folded. */
  readonly paths: readonly string[]
  /** Device and inode, of the path itself and of its parents. */
  readonly id: string | undefined
  readonly around: readonly (string | undefined)[]
}

/**
 * How a path relates to the gate's own files: by its name in any letter case, and by its identity on disk, so that a bind mount,
 * a case-insensitive folder or a hard link to a key is detected too.
 */
export function ownPlaces(own: OwnFiles): (place: Followed) => Promise<readonly OwnPlace[]> {
  let ids = new Map<string, Promise<string | undefined>>()
  let known: Promise<{ data: Known; settings: readonly Known[]; programs: readonly Known[] }> | undefined
  let since = Number.NEGATIVE_INFINITY
  /** Folders change only by mounting, and the gate's files hardly ever move: neither is looked up for every call. */
  const forgetOld = () => {
    if (performance.now() - since < KEPT_MS && ids.size < MOST_KEPT) return
    since = performance.now()
    ids = new Map()
    known = undefined
  }
  const idOf = (path: string): Promise<string | undefined> => {
    const found = ids.get(path) ?? identity(path)
    ids.set(path, found)
    return found
  }
  const know = async (path: string): Promise<Known> => {
    const lead = (await followLinks()(path))?.lead ?? path
    const around = await Promise.all(above(lead).map(idOf))
    return { paths: [fold(path), fold(lead)], id: await idOf(lead), around }
  }
  const knowAll = async () => ({
    data: await know(own.data),
    settings: await Promise.all(own.settings.map(know)),
    programs: await Promise.all(own.programs.map(know)),
  })

  return async ({ lead, is_found, is_linked }) => {
    forgetOld()
    known ??= knowAll()
    const { data, settings, programs } = await known
    const isThere = is_found || is_linked
    // Nothing is cached about the path itself: a link or a file may be created between two calls.
    const chain = isThere ? await Promise.all([identity(lead), ...above(lead).map(idOf)]) : NOTHING_THERE
    const isIn = (place: Known) =>
      place.paths.some((path) => isWithin(path, fold(lead))) || (place.id !== undefined && chain.includes(place.id))
    const isAround = (place: Known) =>
      place.paths.some((path) => isWithin(fold(lead), path)) ||
      (chain[0] !== undefined && place.around.includes(chain[0]))
    if (isIn(data) || (isThere && (await isHardLink(lead, own)))) return ['data']
    return [
      ...(settings.some(isIn) ? (['settings'] as const) : []),
      ...(isAround(data) ? (['around_data'] as const) : []),
      ...(programs.some(isIn) ? (['program'] as const) : []),
      ...([...settings, ...programs].some((place) => isAround(place) && !isIn(place))
        ? (['around_settings'] as const)
        : []),
    ]
  }
}

/** A second name for one of the most important files. */
async function isHardLink(lead: string, { data, store }: OwnFiles): Promise<boolean> {
  const one = await stat(lead).catch(() => undefined)
  if (one?.isFile() !== true || one.nlink < 2) return false
  const keys = await readdir(join(data, 'keys')).catch(() => [])
  const inData = ['admin.key', ...keys.map((name) => join('keys', name))].map((name) => join(data, name))
  const ids = await Promise.all([...inData, ...store].map(identity))
  return ids.includes(`${one.dev}:${one.ino}`)
}

async function identity(path: string): Promise<string | undefined> {
  const one = await stat(path).catch(() => undefined)
  return one === undefined ? undefined : `${one.dev}:${one.ino}`
}

function above(path: string): string[] {
  const folders: string[] = []
  for (let at = dirname(path); at !== (folders.at(-1) ?? path); at = dirname(at)) folders.push(at)
  return folders
}

const fold = (path: string) => path.normalize('NFC').toLowerCase()

const isWithin = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
