import { runCli } from '../adapters/cli/program.ts'
import { LAUNCHER } from '../adapters/files/own-programs.ts'
import { commandsOf } from './commands.ts'
import { GUESTS } from './guests.ts'
import { localGate } from './local-gate.ts'
import { packageVersion } from './package-version.ts'

/** The command line of this build. Resolves with the exit code. */
export const runSluice = (words: readonly string[]): Promise<number> =>
  runCli([process.execPath, LAUNCHER, ...words], commandsOf(GUESTS), {
    version: packageVersion(),
    launcher: LAUNCHER,
    local: localGate,
    // The gate itself is loaded only by the command that runs one.
    up: async (options) => (await import('./up.ts')).up(options),
  })
