import { runCli } from '../adapters/cli/program.ts'
import { commandsOf } from './commands.ts'
import { GUESTS } from './guests.ts'
import { LAUNCHER } from '../adapters/files/own-programs.ts'
import { localGate } from './local-gate.ts'
import { packageVersion } from './package-version.ts'

process.exitCode = await runCli(process.argv, commandsOf(GUESTS), {
  version: packageVersion(),
  launcher: LAUNCHER,
  local: localGate,
  // The gate itself is loaded only by the command that runs one.
  up: async (options) => (await import('./up.ts')).up(options),
})
