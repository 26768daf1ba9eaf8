import type { PathFault } from './path-readings.ts'

/** What is known of one argument that names a file. */
export type FileFact = {
  /** Where it stands in the arguments, as people may see it. */
  readonly at: string
  /** Refused as a path before anybody looked where it leads. */
  readonly fault?: PathFault
  /** The paths it can be read as, as they are written. */
  readonly readings: readonly string[]
  /** Where these lead with all links followed, also for files that do not exist yet. */
  readonly leads: readonly string[] | 'unknown'
}

export type FilesFact = {
  /** `none`: the operator set no sandbox for this server. `remote`: its files are not this machine's. */
  readonly sandbox: 'none' | 'remote' | { readonly roots: readonly string[] | 'unknown' }
  readonly args: readonly FileFact[]
}
