import type { Command } from 'commander'
import type { Cli } from './cli.ts'

/** Adds commands below another one, usually the program. */
export type AddCommands = (parent: Command, cli: Cli) => void

/** The commands of one subject. Their names are known without loading them. */
export type Commands = {
  readonly names: readonly string[]
  /** Their place in the help: the lowest comes first. */
  readonly rank: number
  /**
   * The command that they belong to, such as `servers`, instead of the program. That command says with `cli.extend` where they are
   * added; they may add options to it as well.
   */
  readonly under?: string
  /** They need to know all other commands. */
  readonly needsAll?: true
  readonly load: () => Promise<AddCommands>
}

declare module '../../kernel/registries.ts' {
  interface Guest {
    readonly commands?: readonly Commands[]
  }
}

/** Loads the commands that this word begins, or all of them, if it begins none or is left out, for the help. */
export async function loadCommands(known: readonly Commands[], word: string | undefined): Promise<LoadedCommands> {
  const first = ({ under, names }: Commands) => (under === undefined ? names : [under.split(' ')[0] ?? ''])
  const named = known.filter((each) => word !== undefined && first(each).includes(word))
  const isOne = named.length > 0 && named.every(({ needsAll }) => needsAll === undefined)
  const wanted = (isOne ? named : known).toSorted((one, other) => one.rank - other.rank)
  const loaded = await Promise.all(wanted.map(async ({ under, load }) => ({ under, add: await load() })))
  const addBelow = (path: string | undefined, parent: Command, cli: Cli) => {
    for (const { under, add } of loaded) if (under === path) add(parent, cli)
  }
  return {
    addTo: (program, cli) => addBelow(undefined, program, cli),
    extend: (command, cli) => addBelow(pathOf(command), command, cli),
  }
}
type LoadedCommands = { readonly addTo: AddCommands; readonly extend: AddCommands }

/** The words of a command, without the name of the program. */
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trimStart()

/** The commands that only ask a gate. */
export const ASKING_COMMANDS: readonly Commands[] = [
  {
    names: ['down'],
    rank: 30,
    load: async () => (await import('./gate-commands.ts')).addDownCommand,
  },
  {
    names: ['call', 'status'],
    rank: 70,
    load: async () => (await import('./call-commands.ts')).addCallCommands,
  },
  {
    names: ['settle', 'withdraw', 'artifact'],
    rank: 75,
    load: async () => (await import('./call-commands.ts')).addPastCallCommands,
  },
  { names: ['servers'], rank: 80, load: async () => (await import('./server-commands.ts')).addServerCommands },
  {
    names: ['tools', 'search', 'card', 'admit'],
    rank: 100,
    load: async () => (await import('./tool-commands.ts')).addToolCommands,
  },
  { names: ['consent'], rank: 180, load: async () => (await import('./consent-commands.ts')).addConsentCommands },
  {
    names: ['routes', 'delegate', 'delegations'],
    rank: 190,
    load: async () => (await import('./delegation-commands.ts')).addDelegationCommands,
  },
  {
    names: ['pause', 'unpause', 'pauses'],
    rank: 220,
    load: async () => (await import('./pause-commands.ts')).addPauseCommands,
  },
  { names: ['erase'], rank: 230, load: async () => (await import('./gate-commands.ts')).addEraseCommand },
  {
    names: ['passphrase'],
    rank: 270,
    load: async () => (await import('./passphrase-commands.ts')).addPassphraseCommands,
  },
  {
    names: ['completion', 'complete'],
    rank: 320,
    needsAll: true,
    load: async () => (await import('./completion.ts')).addCompletionCommand,
  },
]
