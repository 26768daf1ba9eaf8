import type { GatePlace, OwnNames } from '../../../contract/judgement.ts'

/**
 * Where paths lead on this machine, every link followed; of a path that does not exist, as far as it exists. Undefined when
 * that cannot be found out.
 */
export interface FileFacts {
  readonly windows: boolean
  /** The home folder of a server's process. */
  home(server: string): string
  /** A path of the configuration: relative to the config file's folder, `~` at its start is the gate's own home. */
  configured(path: string): Promise<string | undefined>
  /** One look at the disk for the arguments of one call. What was found once in it is not looked up again. */
  look(server: string): DiskLook
}

/** Where a path leads with all links followed; also for what does not exist yet. */
export type Followed = {
  readonly lead: string
  /** A link was followed on the way. */
  readonly is_linked: boolean
  /** At least its first name is there. */
  readonly is_found: boolean
}

export type FolderEntry = { readonly name: string; readonly is: 'link' | 'folder' | 'other' }

export interface DiskLook {
  /** Whether the server's files are this machine's, as far as is known. */
  readonly isHere: boolean
  /** Whether its files may be this machine's: not those of a server at an address elsewhere. */
  readonly mayBeHere: boolean
  /** What a relative path may count from: the server's base first, then folders it was started with. Empty when not here. */
  bases(): Promise<readonly string[]>
  /** A path word for word; a relative one counts from `from`, or from the server's base. Undefined when nobody can say. */
  follow(path: string, from?: string): Promise<Followed | undefined>
  /** How a place stands to the gate's own files. Of one that is not there, as far as its path tells. */
  placesOf(place: Followed): Promise<readonly GatePlace[]>
  /** The names of the links in a folder, in lower case; undefined when there are too many to tell. */
  linksIn(folder: string): Promise<ReadonlySet<string> | undefined>
  /** What is in a folder; nothing when it cannot be read, undefined when there are too many names. */
  entriesIn(folder: string): Promise<readonly FolderEntry[] | undefined>
  /** The gate's own places, as written; the data folder first. Empty when it has none on this machine. */
  readonly own: readonly string[]
  /** How the gate's own files are called. */
  readonly names: OwnNames
  /** Whether a place is there as a whole; a relative one counts from `from`. */
  isThere(path: string, from?: string): Promise<boolean>
}
