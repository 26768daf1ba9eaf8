import type { TreeWord } from '../../kernel/decide/as-called.ts'
import type { ToolEffect } from '../../kernel/contract/tool.ts'
import type { Forbidden } from './forbidden.ts'
import { EFFECTS_OF, type ShellEffect } from './program.ts'

/** One simple command of a shell command, or one redirection, with what it does. */
export type ShellPart = { readonly text: string; readonly program: string; readonly does: readonly ShellEffect[] }

/** What a shell command does. */
export type ShellReading = {
  readonly parts: readonly ShellPart[]
  /** What no agent may do. */
  readonly forbidden: readonly Forbidden[]
  /** Kinds of secrets that it accesses. */
  readonly secrets: readonly string[]
  /** Why parts of it are unknown, as text. */
  readonly unknown: readonly string[]
  /** Addresses of other machines that it accesses. */
  readonly addresses: readonly string[]
  /** Words that may be paths, as written. */
  readonly paths: readonly string[]
  /** Words of the parts that write or destroy, and code in other languages: what a path among them names may be changed. */
  readonly written: readonly string[]
  /** Words of the parts that run other code, or whose effects are not known. */
  readonly run: readonly string[]
  /** What happens to a folder that one of the words names, and to everything in it. */
  readonly trees: readonly TreeWord[]
  /** The folders that it changes to, in order. */
  readonly folders: readonly string[]
}

export function effectsOfReading({ parts, unknown, forbidden }: ShellReading): readonly ToolEffect[] {
  const does = new Set(parts.flatMap((part) => part.does))
  if (unknown.length > 0 || does.size === 0) does.add('unknown')
  if (forbidden.length > 0) does.add('destroys')
  const effects = new Set([...does].flatMap((doing) => EFFECTS_OF[doing]))
  if (effects.size > 1) effects.delete('read')
  return [...effects]
}
