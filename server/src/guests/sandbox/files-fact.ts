import type { OwnPlace } from '../../kernel/ports/files.ts'
import type { TreeWord } from '../../kernel/decide/as-called.ts'
import type { PathFault } from './path-readings.ts'

/**
 * How certain it is that an argument names a file. `path`: its name, its shape or the operator says so. `maybe`: it could be a
 * file name, and such a file exists. `mention`: a path inside a sentence.
 */
export type Certainty = 'path' | 'maybe' | 'mention'

/** What is known about an argument that names a file, or could. */
export type FileFact = {
  /** Its place in the arguments, in a form that may be shown. */
  readonly at: string
  readonly certainty: Certainty
  /** Whether the server's sandbox applies to it; false if the operator declared other arguments as the paths. */
  readonly bound: boolean
  /** Rejected as a path before it was resolved. */
  readonly fault?: PathFault
  /** The paths it can be read as, as written. */
  readonly readings: readonly string[]
  /** These paths with all links resolved, including files that do not exist yet. */
  readonly leads: readonly string[] | 'unknown'
  /** What a command does to the folder that it names, if it is one. */
  readonly tree?: TreeWord['use'] | 'works in'
  /** In a command: whether the part that names it writes, runs other code, or only reads. Otherwise the tool's effects say it. */
  readonly part?: 'writes' | 'runs' | 'reads'
  /** How these paths, and those of even the loosest reading, relate to the gate's own files. */
  readonly gate: readonly OwnPlace[]
}

export type FilesFact = {
  /** `none`: the operator set no sandbox for this server. `remote`: its files are on another machine. */
  readonly sandbox: 'none' | 'remote' | { readonly roots: readonly string[] | 'unknown' }
  readonly args: readonly FileFact[]
  /** There are more arguments than the gate checks. */
  readonly too_many: boolean
}
