import { Command, CommanderError } from 'commander'
import { openCli, type CliHost, type Globals } from './cli.ts'
import { commandFor, commandName, withCommand } from './command-name.ts'
import { loadCommands, type Commands } from './commands.ts'
import { EXIT } from './exit-codes.ts'
import type { Out } from './print.ts'
import { terminalOut } from './terminal-out.ts'
import { saysOfFault } from './usage-fault.ts'

/** The command line: translates commands into requests to the running gate. Resolves with the exit code. */
export async function runCli(argv: readonly string[], commands: readonly Commands[], host: CliHost): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = new Command('sluice')
    .description('a gate between AI agents and the tools they use')
    .version(host.version, '--version', 'print the version')
    .option('--config <file>', 'the configuration (default ./sluice.yaml)')
    .option('--data <folder>', 'the data folder (default: from the configuration)')
    .option('--store <address>', 'a database, postgres://…, instead of the configured store')
    .option('--url <url>', 'address of a remote gate (or SLUICE_URL)')
    .option('--key <key>', 'your API key for it (or SLUICE_KEY)')
    .option('--as <kind:name>', 'on the local socket: act as a caller with fewer rights')
    .option('--json', "print the gate's JSON answer")
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  // The reader may close the pipe early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const globals = () => program.opts<Globals>()
  const cwd = currentFolder()
  if (cwd === undefined) {
    process.stderr.write('the current folder does not exist any more; change to another folder\n')
    return EXIT.usage
  }
  const command = commandName({ launcher: host.launcher, cwd, env: process.env })
  const verbs = () => new Set(commands.flatMap(({ under, names }) => (under === undefined ? names : [])))
  const out = (): Out =>
    terminalOut(process.stdout, process.stderr, globals().json === true, (text) =>
      withCommand(text, commandFor(command, globals()), verbs()),
    )

  try {
    explainMistakes(program, command)
    const [word] = program.parseOptions(argv.slice(2)).operands
    const { addTo, extend } = await loadCommands(commands, word)
    const { cli, finish } = openCli({ host, globals, out, exit: (code) => void (exitCode = code), extend })
    addTo(program, cli)
    explainMistakes(program, command)
    await program.parseAsync([...argv])
    if (exitCode !== EXIT.absent) await finish(program.args[0] === 'pauses')
  } catch (error) {
    if (!(error instanceof CommanderError)) return unexpected(out(), error)
    for (const line of saysOfFault(error)?.split('\n') ?? []) out().error(line)
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  }
  return exitCode
}

/** After a mistake, the usage of the command that was meant, and how to read its help. */
function explainMistakes(command: Command, called: string): void {
  const names = command.commands.map((each) => each.name()).join(', ')
  const known =
    names === '' ? [`usage: ${called} ${command.usage()}`] : command.parent === null ? [] : [`commands: ${names}`]
  command.showHelpAfterError([...known, `help: ${called} --help`].join('\n'))
  for (const each of command.commands) explainMistakes(each, `${called} ${each.name()}`)
}

/** A bug in Sluice. The stack is printed only on request. */
function unexpected(out: Out, error: unknown): number {
  out.error(`sluice failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`, 'bad')
  out.error('  this is a bug in sluice; please report it with the output of the same command run with SLUICE_STACK=1')
  if (process.env['SLUICE_STACK'] !== undefined && error instanceof Error) out.data(error.stack ?? '')
  return EXIT.internal
}

/** Undefined if the folder was removed after the shell changed to it. */
function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}
