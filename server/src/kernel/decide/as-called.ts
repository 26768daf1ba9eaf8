import type { Call } from '../contract/call.ts'
import type { Tool, ToolEffect } from '../contract/tool.ts'
import { riskClassOf } from '../catalogue/effects.ts'

/**
 * `takes`: moves, removes, or changes the permissions of the whole folder. `goes through`: copies, links or unpacks it or into it.
 * `becomes`: something else may take its place.
 */
export type TreeWord = { readonly text: string; readonly use: 'takes' | 'goes through' | 'becomes' }

/** What a shell command does, as far as others than its own decider judge by it. */
export type CommandReading = {
  readonly effects: readonly ToolEffect[]
  /** Addresses of other machines that it accesses. */
  readonly addresses: readonly string[]
  /** Words of the parts that write or destroy, and code in other languages: what a path among them names may be changed. */
  readonly written: readonly string[]
  /** Words of the parts that run other code, or whose effects are not known. */
  readonly run: readonly string[]
  /** What happens to a folder that one of the words names, and to everything in it. */
  readonly trees: readonly TreeWord[]
  /** The folders that it changes to, in order. */
  readonly folders: readonly string[]
}

/** Reads the command in a call. Undefined if the tool takes none, or if nothing in this gate reads commands. */
export type ReadCommand = (tool: Pick<Tool, 'shell'>, call: Pick<Call, 'canonical_args'>) => CommandReading | undefined

/**
 * The tool with the effects of this particular call. A shell tool can do anything, so rules are evaluated against what this
 * command does.
 */
export function asCalled(
  { commandOf }: { readonly commandOf: ReadCommand },
  tool: Tool,
  call: Pick<Call, 'canonical_args'>,
): Tool {
  const command = commandOf(tool, call)
  if (command === undefined) return tool
  const { effects } = command
  return { ...tool, effects, risk: riskClassOf(effects, tool.tags ?? []) }
}
