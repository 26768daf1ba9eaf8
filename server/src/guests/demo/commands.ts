import type { Command } from 'commander'
import type { Cli } from '../../adapters/cli/cli.ts'
import { PORT, TRUST, type StartOptions } from '../../adapters/cli/option-values.ts'

export function addDemoCommand(program: Command, { host, globals, exit }: Cli): void {
  program
    .command('demo')
    .description('run a demo gate with two tool servers, an outbox and a folder of files, in ./sluice-demo')
    .option(...PORT)
    .option(...TRUST)
    .action(async (options: StartOptions) => exit(await host.up({ ...globals(), ...options, demo: true })))
}
