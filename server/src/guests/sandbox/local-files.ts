import type {
  DiskLook,
  FileFacts,
  FolderEntry,
  Followed,
  OwnFiles,
  OwnPlace,
  NamedPlaces,
  OwnNames,
} from '../../kernel/ports/files.ts'
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, isAbsolute, resolve, sep } from 'node:path'
import type { Config } from '../../kernel/contract/config.ts'
import { followLinks, type FollowLinks } from '../../adapters/upstream/follow-links.ts'
import { ownPlaces } from './own-places.ts'
import { secondNames } from '../../adapters/upstream/second-names.ts'
import { processOf } from '../../kernel/contract/server-settings.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'

/** Folders with more names are not read. */
const MOST_NAMES = 10_000

/** Where paths lead on this machine, and how they relate to the gate's own files. */
export function localFiles(servers: Config['servers'], folder: string, own?: OwnFiles): FileFacts {
  const settingsOf = (server: string) => (Object.hasOwn(servers, server) ? servers[server] : undefined)
  /** Only servers started here have a known working folder and home. */
  const childOf = (server: string) => {
    const settings = settingsOf(server)
    return settings === undefined ? undefined : processOf(settings)
  }
  const baseOf = (server: string) => {
    const settings = settingsOf(server)
    return resolve(folder, atHome(settings?.sandbox?.base ?? childOf(server)?.cwd ?? '.', homedir()))
  }
  /** Folders that a server is started with, or bound to: some servers resolve relative paths against these. */
  const otherBases = new WeakMap<Config['servers'][string], Promise<readonly string[]>>()
  const otherBasesOf = (server: string): Promise<readonly string[]> => {
    const settings = settingsOf(server)
    if (settings === undefined) return Promise.resolve([])
    const known = otherBases.get(settings) ?? foldersAmong(rootsOf(settings), folder)
    otherBases.set(settings, known)
    return known
  }
  const places = own === undefined ? undefined : ownPlaces(own)
  const names = namesOf(own)
  /** What does not change as long as the settings of a server stay the same. */
  const standing = new WeakMap<Config['servers'][string], Standing>()
  const readStanding = (server: string): Standing => {
    const base = baseOf(server)
    const isHere = childOf(server) !== undefined || settingsOf(server)?.sandbox?.local === true
    const all = async () => [base, ...(await otherBasesOf(server)).filter((other) => other !== base)]
    return {
      base,
      isHere,
      mayBeHere: isHere || isLoopback(settingsOf(server)?.url),
      bases: isHere ? all() : Promise.resolve([]),
    }
  }
  const standingOf = (server: string): Standing => {
    const settings = settingsOf(server)
    const known = settings === undefined ? undefined : standing.get(settings)
    if (known !== undefined) return known
    const found = readStanding(server)
    if (settings !== undefined) standing.set(settings, found)
    return found
  }
  const ownFiles = own === undefined ? [] : [own.data, ...own.settings]
  const gate: GateNames = { own: ownFiles, programs: own?.programs ?? [], names, places }
  return {
    windows: sep === '\\',
    home: (server) => secretOf(childOf(server)?.env['HOME'] ?? '', folder, process.env) || homedir(),
    configured: async (path) => (await followLinks()(resolve(folder, atHome(path, homedir()))))?.lead,
    look: (server, from) => new LocalLook(from === undefined ? standingOf(server) : standingFrom(from), gate),
  }
}

type GateNames = Pick<DiskLook, 'own' | 'names' | 'programs'> & {
  readonly places: ReturnType<typeof ownPlaces> | undefined
}

/** A class, because one is created per call and the methods are shared. Most calls name no file and use none of them. */
class LocalLook implements DiskLook {
  readonly isHere: boolean
  readonly mayBeHere: boolean
  readonly isFrom: boolean
  readonly own: readonly string[]
  readonly programs: readonly string[]
  readonly names: OwnNames
  readonly #standing: Standing
  readonly #places: GateNames['places']
  /** Followed links are cached for this decision only. */
  #followed: FollowLinks | undefined = undefined

  constructor(standing: Standing, { own, programs, names, places }: GateNames) {
    this.isHere = standing.isHere
    this.mayBeHere = standing.mayBeHere
    this.isFrom = standing.isFrom === true
    this.own = own
    this.programs = programs
    this.names = names
    this.#standing = standing
    this.#places = places
  }

  bases(): Promise<readonly string[]> {
    return this.#standing.bases
  }

  /** Joined as text: normalizing `link/../x` would skip the link that a tool follows. */
  follow(path: string, from = this.#standing.base): ReturnType<FollowLinks> {
    this.#followed ??= followLinks()
    return isAbsolute(path) ? this.#followed(path) : this.#followed(path, from)
  }

  async placesOf(place: Followed): Promise<readonly OwnPlace[]> {
    return (await this.#places?.(place)) ?? []
  }

  async secondNames(path: string, among: NamedPlaces): Promise<readonly string[]> {
    return secondNames(path, among, await this.#standing.bases)
  }

  linksIn(folder: string): ReturnType<typeof linksIn> {
    return linksIn(folder)
  }

  entriesIn(folder: string): ReturnType<typeof entriesIn> {
    return entriesIn(folder)
  }

  async isThere(path: string, from = this.#standing.base): Promise<boolean> {
    return (await stat(resolve(from, path)).catch(() => undefined)) !== undefined
  }
}

type Standing = Pick<DiskLook, 'isHere' | 'mayBeHere'> & {
  readonly base: string
  readonly bases: Promise<readonly string[]>
  readonly isFrom?: true
}

/** A call of a client that runs on this machine says where its paths start, so a name without a folder is a file there. */
const standingFrom = (from: readonly string[]): Standing => ({
  base: from[0] ?? '/',
  isHere: true,
  mayBeHere: false,
  bases: Promise.resolve(from),
  isFrom: true,
})

/** A folder such as `.sluice` is recognized by its name; one called `data` is not. */
function namesOf(own: OwnFiles | undefined): OwnNames {
  const name = basename(own?.data ?? '').toLowerCase()
  const files = (own?.names ?? []).map((file) => file.replaceAll('\\', '/').toLowerCase())
  return { folder: name.length > 3 && name.startsWith('.') ? name : undefined, files }
}

function isLoopback(url: string | undefined): boolean {
  const host = url === undefined ? '' : (URL.parse(url)?.hostname ?? '')
  return /^(?:localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(host)
}

/** The arguments of a server may be the folders it serves. */
function rootsOf(settings: Config['servers'][string] | undefined): readonly string[] {
  return [...(settings?.sandbox?.roots ?? []), ...(settings?.command === undefined ? [] : settings.args)]
}

async function foldersAmong(texts: readonly string[], folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const text of texts.slice(0, 100)) {
    const value = text.replace(/^--?[\w-]+=/, '')
    const path = resolve(folder, atHome(value, homedir()))
    const isFolder = await stat(path).then(
      (one) => one.isDirectory(),
      () => false,
    )
    if (value !== '' && isFolder) found.push(path)
  }
  return found
}

/** The names of all links in a folder, in lower case; undefined if it cannot be read or has too many names. */
async function linksIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    if (entries.length > MOST_NAMES) return undefined
    return new Set(entries.filter((entry) => entry.isSymbolicLink()).map((entry) => entry.name.toLowerCase()))
  } catch {
    return undefined
  }
}

async function entriesIn(folder: string): Promise<readonly FolderEntry[] | undefined> {
  const entries = await readdir(folder || '/', { withFileTypes: true }).catch(() => [])
  if (entries.length > MOST_NAMES) return undefined
  const kindOf = (entry: Dirent) => (entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'other')
  return entries.map((entry) => ({ name: entry.name, is: kindOf(entry) }))
}

const atHome = (path: string, home: string) => (/^~(?:[\\/]|$)/.test(path) ? `${home}${path.slice(1)}` : path)
