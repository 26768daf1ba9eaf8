import { resolve } from 'node:path'
import { fetchAll, programOf, runningAs } from '../../adapters/upstream/server-config.ts'
import type { Resolved, Resolving, ServerKind } from '../../adapters/upstream/server-kind.ts'
import type { CommandSettings, CommandsSettings } from './command-settings.ts'
import { commandsTransport, type CommandsServer } from './commands-transport.ts'

declare module '../../adapters/upstream/server-kind.ts' {
  interface ServerConfigs {
    commands: CommandsServer
  }
}

function commandsServer(settings: CommandsSettings, { name, folder, fetch }: Resolving): Resolved<CommandsServer> {
  const { tools: _tools, user, ...plain } = settings
  const { wrong, ...as } = runningAs(name, user)
  const commands = Object.entries(settings.commands).map(
    ([key, command]) => [key, { ...command, run: withProgram(command.run, folder) }] as const,
  )
  const server = {
    ...plain,
    name,
    commands: Object.fromEntries(commands),
    env: fetchAll(settings.env, 'env', fetch),
    cwd: resolve(folder, settings.cwd ?? '.'),
    ...as,
  }
  return { server, wrong }
}

function withProgram(run: CommandSettings['run'], folder: string): CommandSettings['run'] {
  const [program, ...rest] = run
  return typeof program === 'string' ? [programOf(program, folder), ...rest] : run
}

export const commandsKind: ServerKind<'commands'> = {
  key: 'commands',
  resolve: commandsServer,
  transport: (config, { tuning }) => commandsTransport(config, tuning.grace_ms),
}
