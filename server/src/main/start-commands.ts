import type { Command } from 'commander'
import type { Cli } from '../adapters/cli/cli.ts'
import { portOf } from '../adapters/cli/option-values.ts'

const PORT = ['--port <port>', 'listen on this port instead of the configured one', portOf] as const
const TRUST = ['--trust', 'trust the configuration without asking, for scripts and services'] as const

type StartOptions = { readonly port?: number; readonly trust?: boolean }

/** The commands that run a gate. */
export function addStartCommands(program: Command, { host, globals, exit }: Cli): void {
  program
    .command('up')
    .description('run the gate')
    .option(...PORT)
    .option(...TRUST)
    .action(async (options: StartOptions) => exit(await host.up({ ...globals(), ...options })))
  program
    .command('demo')
    .description('run a demo gate with two tool servers, an outbox and a folder of files, in ./sluice-demo')
    .option(...PORT)
    .option(...TRUST)
    .action(async (options: StartOptions) => exit(await host.up({ ...globals(), ...options, demo: true })))
}
