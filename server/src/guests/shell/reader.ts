import type { Values } from './expanded.ts'
import type { Forbidden } from './forbidden.ts'
import type { ShellEffect } from './program.ts'
import type { ReadWord } from './read-word.ts'
import type { TreeWord } from '../../kernel/decide/as-called.ts'
import type { ShellPart } from './shell-reading.ts'

/** Text on a command's standard input, as far as it is a literal in the command itself. */
export type ShellInput = { readonly texts: readonly string[]; readonly decoded: boolean }

/** The context of a part of a command. */
export type CommandPlace = {
  readonly depth: number
  /** Its output becomes part of another command. */
  readonly substituted: boolean
  /** Undefined: nothing is piped in. */
  readonly input: ShellInput | undefined
}

/** Collects findings while a command is parsed. One per command. */
export type ShellReader = {
  readonly cwd: string | undefined
  readonly functions: Set<string>
  readonly parts: ShellPart[]
  readonly forbidden: Forbidden[]
  readonly secrets: Set<string>
  readonly unknown: Set<string>
  readonly addresses: Set<string>
  readonly paths: Set<string>
  readonly written: Set<string>
  readonly run: Set<string>
  readonly trees: TreeWord[]
  readonly folders: string[]
  readonly values: Values
  /** How many more parts are checked; the rest is unknown. */
  left: number
  /** Parses a text as shell code. */
  readonly code: (text: string, place: CommandPlace) => void
  /** Parses a text that may be code, only to find forbidden commands. */
  readonly probe: (text: string, place: CommandPlace) => void
}

/** What one program does with its words. */
export type JudgedWords = { readonly does: readonly ShellEffect[]; readonly decodes?: true }

export type JudgeWords = (
  reader: ShellReader,
  words: readonly ReadWord[],
  place: CommandPlace,
) => readonly ShellEffect[]
