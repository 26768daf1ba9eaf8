import type { ToolEffect } from '../../kernel/contract/tool.ts'

/** What a part of a shell command does. `unknown`: not described in the table. */
export const SHELL_EFFECTS = [
  'reads',
  'fetches',
  'writes',
  'destroys',
  'sends',
  'runs',
  'escalates',
  'unknown',
] as const
export type ShellEffect = (typeof SHELL_EFFECTS)[number]

/** In terms of tool effects. Unread code and unknown programs may do what an unknown tool may do. */
export const EFFECTS_OF: Readonly<Record<ShellEffect, readonly ToolEffect[]>> = {
  reads: ['read'],
  fetches: ['read'],
  writes: ['write'],
  destroys: ['write', 'destructive'],
  sends: ['external'],
  runs: ['write', 'external'],
  escalates: ['privileged'],
  unknown: ['write', 'external'],
}

/** How a program names another command among its arguments. */
export type Carries =
  /** Its operands are a command: `sudo rm x`. */
  | 'command'
  /** The same after some operands of its own: `timeout 5 rm x`. */
  | { readonly after: number }
  /** Its operands, joined, are shell code: `eval`. */
  | 'code'

/** Which arguments need special parsing. */
export type Special =
  'awk' | 'env' | 'find' | 'git' | 'interpreter' | 'npx' | 'pager' | 'sed' | 'shell' | 'tar' | 'variables' | 'xargs'

/**
 * One row of the table. Options and subcommands are names separated by spaces. An option adds to what the program does; only an
 * option under `instead` replaces `does`.
 */
export type ShellProgram = {
  readonly does: ShellEffect
  /** Options that take the next word as their value. */
  readonly valued?: string
  /** Options that add something: `{'-i --in-place': 'writes'}`. */
  readonly options?: Readonly<Record<string, ShellEffect>>
  /** Options that replace what it does: `tar --list`. With `=` they need that value: `wget -O=-`. */
  readonly instead?: Readonly<Record<string, ShellEffect>>
  /** If set, options that are not in this row are unknown. */
  readonly plain?: string
  readonly subcommands?: Readonly<Record<string, ShellProgram | ShellEffect>>
  /** What it does without a subcommand; `reads` by default, because then it prints its help. */
  readonly bare?: ShellEffect
  /** What more than `free` operands add. */
  readonly more?: { readonly free: number; readonly does: ShellEffect }
  readonly carries?: Carries
  readonly special?: Special
  /** How many operands at the start are text or patterns, not paths. */
  readonly text?: number
  /** Transforms its input to other text: its output cannot be predicted. */
  readonly decodes?: true
}

export type ProgramTable = Readonly<Record<string, ShellProgram>>

/** The same row for several names. */
export function rows(names: string, program: ShellProgram | ShellEffect): ProgramTable {
  const row = typeof program === 'string' ? { does: program } : program
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, row]))
}

/** The names of a list, each as a separate key. */
export function spread<Value>(lists: Readonly<Record<string, Value>> | undefined): ReadonlyMap<string, Value> {
  const pairs = Object.entries(lists ?? {})
  return new Map(pairs.flatMap(([names, value]) => names.split(/\s+/).map((name): [string, Value] => [name, value])))
}
