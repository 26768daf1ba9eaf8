import { Command, type Option } from 'commander'
import { expect, test } from 'vitest'
import type { Cli } from '../adapters/cli/cli.ts'
import { loadCommands } from '../adapters/cli/commands.ts'
import { commandsOf } from './commands.ts'
import { GUESTS } from './guests.ts'

/** Options of a command that one above it has, too: that one takes the value, wherever it is written. */
function swallowed(command: Command, above: readonly Option[], path: string): string[] {
  const own = command.options.filter((option) => above.some(({ long }) => long === option.long))
  const below = [...above, ...command.options]
  return [
    ...own.map(({ long }) => `${path} ${long}`),
    ...command.commands.flatMap((each) => swallowed(each, below, `${path} ${each.name()}`)),
  ]
}

/** Those of every command (adapters/cli/program.ts). */
const GLOBALS = ['version', 'config', 'data', 'store', 'url', 'key', 'as', 'json']

test('no command has an option of a command above it', async () => {
  const program = new Command('sluice')
  for (const name of GLOBALS) program.option(`--${name}`)
  const { addTo, extend } = await loadCommands(commandsOf(GUESTS), undefined)
  addTo(program, { extend: (command: Command) => extend(command, {} as Cli) } as Cli)
  expect(program.commands.length).toBeGreaterThan(30)
  expect(swallowed(program, [], 'sluice')).toEqual([])
})
