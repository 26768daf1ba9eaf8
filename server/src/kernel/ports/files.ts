import type { Config } from '../contract/config.ts'

/**
 * How a path relates to the gate's own files: in its data folder, one of its settings, a part of its program (its code, its Node,
 * the libraries it loads), or a folder that contains these.
 */
export type OwnPlace = 'data' | 'settings' | 'program' | 'around_data' | 'around_settings'

/** The names of the gate's own files, from any folder. */
export type OwnNames = {
  /** The data folder's name, if it is a distinctive one such as `.sluice`. */
  readonly folder: string | undefined
  /** The important files in it, relative to it, in lower case: `admin.key`, `keys/row-key.json`. */
  readonly files: readonly string[]
}

/**
 * Where paths lead on this machine, with every link followed; for a path that does not exist, as far as it exists. Undefined if
 * that cannot be determined.
 */
export interface FileFacts {
  readonly windows: boolean
  /** The home folder of a server's process. */
  home(server: string): string
  /** A path of the configuration: relative to the config file's folder; `~` at its start is the gate's own home. */
  configured(path: string): Promise<string | undefined>
  /**
   * One view of the disk for the arguments of one call. Results are cached within it. `from`: the folders that its relative paths
   * may be relative to, for a call that says so; the first is the working folder.
   */
  look(server: string, from?: readonly string[]): DiskLook
}

/** Where a path leads with all links followed, even if it does not exist yet. */
export type Followed = {
  readonly lead: string
  /** A link was followed on the way. */
  readonly is_linked: boolean
  /** At least its first name exists. */
  readonly is_found: boolean
}

export type FolderEntry = { readonly name: string; readonly is: 'link' | 'folder' | 'other' }

/** Paths of files, and of folders whose every file counts, relative to any folder. */
export type NamedPlaces = { readonly files: readonly string[]; readonly trees: readonly string[] }

export interface DiskLook {
  /** Whether the server's files are on this machine, as far as known. */
  readonly isHere: boolean
  /** Whether its files may be on this machine: not for a server at a remote URL. */
  readonly mayBeHere: boolean
  /** Whether the call itself says what its paths are relative to. */
  readonly isFrom: boolean
  /** What a relative path may be relative to: the server's base first, then folders it was started with. Empty if not here. */
  bases(): Promise<readonly string[]>
  /** Resolves a path verbatim; a relative one against `from`, or the server's base. Undefined if unknown. */
  follow(path: string, from?: string): Promise<Followed | undefined>
  /** How a path relates to the gate's own files. If it does not exist, as far as its name tells. */
  placesOf(place: Followed): Promise<readonly OwnPlace[]>
  /** Which of these places, in any folder around the file, are second names of it (hard links). */
  secondNames(path: string, among: NamedPlaces): Promise<readonly string[]>
  /** The names of the links in a folder, in lower case; undefined if there are too many. */
  linksIn(folder: string): Promise<ReadonlySet<string> | undefined>
  /** The contents of a folder; nothing if it cannot be read, undefined if there are too many names. */
  entriesIn(folder: string): Promise<readonly FolderEntry[] | undefined>
  /** The gate's own places, as written; the data folder first. Empty if it has none on this machine. */
  readonly own: readonly string[]
  /** The places of its program. */
  readonly programs: readonly string[]
  /** The names of the gate's own files. */
  readonly names: OwnNames
  /** Whether a path exists completely; a relative one is resolved against `from`. */
  isThere(path: string, from?: string): Promise<boolean>
}

/** The gate's own files: its data folder, its configuration and policy, what decides what clients run, and its program. Absolute. */
export type OwnFiles = {
  readonly data: string
  readonly settings: readonly string[]
  /** The gate's code, the Node that runs it, and the libraries it loads; the programs of agents; what shells and git start with. */
  readonly programs: readonly string[]
  /** The store's own files in the data folder. */
  readonly store: readonly string[]
  /** The files in the data folder that nobody else has, relative to it. */
  readonly names: readonly string[]
}

/** Opens a view of the disk. `own`: the gate's own files, if arguments are compared with them. */
export type OpenFiles = (servers: Config['servers'], folder: string, own?: OwnFiles) => FileFacts

/** Of a build that does not look at the disk: nothing is known of any path. */
export const UNKNOWN_FILES: FileFacts = {
  windows: false,
  home: () => '/',
  configured: async () => undefined,
  look: () => ({
    isHere: false,
    isFrom: false,
    programs: [],
    own: [],
    mayBeHere: false,
    names: { folder: undefined, files: [] },
    isThere: () => Promise.resolve(false),
    bases: async () => [],
    follow: async () => undefined,
    placesOf: async () => [],
    entriesIn: async () => [],
    secondNames: async () => [],
    linksIn: async () => new Set(),
  }),
}
