import type { GatePlace } from '../../../contract/judgement.ts'
import type { PathFault } from './path-readings.ts'

/**
 * How sure it is that an argument names a file. `path`: its name, its shape or the operator says so. `maybe`: it could be the
 * name of a file, and something on the disk answers to it. `mention`: a path inside a sentence.
 */
export type Certainty = 'path' | 'maybe' | 'mention'

/** What is known of one argument that names a file, or could. */
export type FileFact = {
  /** Where it stands in the arguments, as people may see it. */
  readonly at: string
  readonly certainty: Certainty
  /** Whether the server's sandbox counts for it: not where the operator declared other arguments to be the paths. */
  readonly bound: boolean
  /** Refused as a path before anybody looked where it leads. */
  readonly fault?: PathFault
  /** The paths it can be read as, as they are written. */
  readonly readings: readonly string[]
  /** Where these lead with all links followed, also for files that do not exist yet. */
  readonly leads: readonly string[] | 'unknown'
  /** How these places, and those of even the most careless reading, stand to the gate's own files. */
  readonly gate: readonly GatePlace[]
}

export type FilesFact = {
  /** `none`: the operator set no sandbox for this server. `remote`: its files are not this machine's. */
  readonly sandbox: 'none' | 'remote' | { readonly roots: readonly string[] | 'unknown' }
  readonly args: readonly FileFact[]
  /** More arguments than are looked up. */
  readonly too_many: boolean
}
