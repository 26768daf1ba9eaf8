import type { Forbidden } from './forbidden.ts'
import type { Doing } from './program.ts'
import type { ReadWord } from './read-word.ts'
import type { ShellPart } from './shell-reading.ts'

/** Text that reaches a command on its standard input, as far as it is written in the command itself. */
export type Input = { readonly texts: readonly string[]; readonly decoded: boolean }

/** Where in a command something stands. */
export type Place = {
  readonly depth: number
  /** What it prints becomes part of another command. */
  readonly substituted: boolean
  /** Undefined: nothing is piped in. */
  readonly input: Input | undefined
}

/** Collects what is found while a command is read. One per reading. */
export type Reader = {
  readonly cwd: string | undefined
  readonly functions: Set<string>
  readonly parts: ShellPart[]
  readonly forbidden: Forbidden[]
  readonly secrets: Set<string>
  readonly unknown: Set<string>
  readonly addresses: Set<string>
  readonly paths: Set<string>
  /** So many parts are looked at; more are unknown. */
  left: number
  /** Reads a text as shell code. */
  readonly code: (text: string, place: Place) => void
  /** Reads a text that may be code, only to find what nobody may do. */
  readonly probe: (text: string, place: Place) => void
}

/** What one program with its words was found to do. */
export type JudgedWords = { readonly does: readonly Doing[]; readonly decodes?: true }

export type JudgeWords = (reader: Reader, words: readonly ReadWord[], place: Place) => readonly Doing[]
