import { spawnSync } from 'node:child_process'
import type { Command } from 'commander'
import type { Cli } from '../../adapters/cli/cli.ts'

export function addHookCommand(program: Command, { host, globals, exit }: Cli): void {
  program
    .command('hook <client>')
    .description(
      'judge a tool call of a coding agent; the hook of the agent runs this command (server/src/guests/hooks/README.md)',
    )
    .option('--wait <seconds>', 'how long to wait for a person')
    .allowUnknownOption()
    .action((client: string, options: { wait?: string }) => {
      // The launcher handles `sluice hook` itself; this is for `hook` after other options.
      const wait = options.wait === undefined ? [] : ['--wait', options.wait]
      const { socket } = host.local(globals())
      const words = [host.launcher, 'hook', client, '--socket', socket, ...wait]
      exit(spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 2)
    })
}
