import type { ToolEffect } from '../../contract/tool.ts'

/** What a part of a shell command does. `unknown` is what nobody has described. */
export const DOINGS = ['reads', 'fetches', 'writes', 'destroys', 'sends', 'runs', 'escalates', 'unknown'] as const
export type Doing = (typeof DOINGS)[number]

/** In the words of the catalogue. Code that nobody reads and programs that nobody knows may do what an unknown tool may do. */
export const EFFECTS_OF: Readonly<Record<Doing, readonly ToolEffect[]>> = {
  reads: ['read'],
  fetches: ['read'],
  writes: ['write'],
  destroys: ['write', 'destructive'],
  sends: ['external'],
  runs: ['write', 'external'],
  escalates: ['privileged'],
  unknown: ['write', 'external'],
}

/** How a program names another command among its own arguments. */
export type Carries =
  /** Its operands are a command: `sudo rm x`. */
  | 'command'
  /** The same after some operands of its own: `timeout 5 rm x`. */
  | { readonly after: number }
  /** Its operands, joined, are shell code: `eval`. */
  | 'code'

/** Which arguments need a reader of their own. */
export type Special =
  'awk' | 'env' | 'find' | 'git' | 'interpreter' | 'npx' | 'pager' | 'sed' | 'shell' | 'tar' | 'variables' | 'xargs'

/**
 * One row of the table. Options and subcommands are names with spaces between them. An option adds to what the program does; only what
 * stands under `instead` takes the place of `does`.
 */
export type Program = {
  readonly does: Doing
  /** Options that take the next word as their value. */
  readonly valued?: string
  /** Options that add something: `{'-i --in-place': 'writes'}`. */
  readonly options?: Readonly<Record<string, Doing>>
  /** Options that make it do this and nothing else of its own: `tar --list`. With `=` they need that value: `wget -O=-`. */
  readonly instead?: Readonly<Record<string, Doing>>
  /** Where set, options that stand nowhere in this row are unknown. */
  readonly plain?: string
  readonly subcommands?: Readonly<Record<string, Program | Doing>>
  /** What it does without a subcommand; `reads` where left out, because then it prints its help. */
  readonly bare?: Doing
  /** What more operands than `free` add. */
  readonly more?: { readonly free: number; readonly does: Doing }
  readonly carries?: Carries
  readonly special?: Special
  /** So many operands at the front are text or patterns, not paths. */
  readonly text?: number
  /** Makes other text of its input: what it prints cannot be foreseen. */
  readonly decodes?: true
}

export type Table = Readonly<Record<string, Program>>

/** The same row for several names. */
export function rows(names: string, program: Program | Doing): Table {
  const row = typeof program === 'string' ? { does: program } : program
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, row]))
}

/** The names of a list, each as a key of its own. */
export function spread<Value>(lists: Readonly<Record<string, Value>> | undefined): ReadonlyMap<string, Value> {
  const pairs = Object.entries(lists ?? {})
  return new Map(pairs.flatMap(([names, value]) => names.split(/\s+/).map((name): [string, Value] => [name, value])))
}
