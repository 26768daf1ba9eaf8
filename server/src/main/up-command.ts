import type { Command } from 'commander'
import type { Cli } from '../adapters/cli/cli.ts'
import { PORT, TRUST, type StartOptions } from '../adapters/cli/option-values.ts'

export function addUpCommand(program: Command, { host, globals, exit }: Cli): void {
  program
    .command('up')
    .description('run the gate')
    .option(...PORT)
    .option(...TRUST)
    .action(async (options: StartOptions) => exit(await host.up({ ...globals(), ...options })))
}
