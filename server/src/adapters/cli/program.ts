import { Command, CommanderError, InvalidArgumentError } from 'commander'
import type { CliBoot } from './cli-boot.ts'
import { commandFor, commandName, withCommand } from './command-name.ts'
import { EXIT } from './exit-codes.ts'
import type { Out } from './print.ts'
import type { Globals } from './session.ts'
import { terminalOut } from './terminal-out.ts'
import { saysOfFault } from './usage-fault.ts'

/** Of the commands that run a gate. */
const TRUST = 'trust the configuration without asking, for scripts and services'

/** The command line: translates commands into requests to the running gate. Resolves with the exit code. */
export async function runCli(argv: readonly string[], boot: CliBoot): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = new Command('sluice')
    .description('the gate that every tool call of every agent passes through')
    .version(boot.version, '--version', 'print the version')
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
  const command = commandName({ launcher: boot.launcher, cwd, env: process.env })
  const verbs = () => new Set(program.commands.map((each) => each.name()))
  const out = (): Out =>
    terminalOut(process.stdout, process.stderr, globals().json === true, (text) =>
      withCommand(text, commandFor(command, globals()), verbs()),
    )

  program
    .command('up')
    .description('run the gate')
    .option('--port <port>', 'listen on this port instead of the configured one', portOf)
    .option('--trust', TRUST)
    .action(async (options: { port?: number; trust?: boolean }) => {
      exitCode = await boot.up({ ...globals(), ...options })
    })
  program
    .command('demo')
    .description('run a demo gate with two tool servers, an outbox and a folder of files, in ./sluice-demo')
    .option('--port <port>', 'listen on this port instead of the configured one', portOf)
    .option('--trust', TRUST)
    .action(async (options: { port?: number; trust?: boolean }) => {
      exitCode = await boot.up({ ...globals(), ...options, demo: true })
    })
  const addOthers = async () => {
    const { addCommands } = await import('./commands.ts')
    const added = addCommands(program, { boot, globals, portOf, out, exit: (code) => void (exitCode = code) })
    explainMistakes(program, command)
    return added
  }

  try {
    explainMistakes(program, command)
    const [verb] = program.parseOptions(argv.slice(2)).operands
    // A gate does not load the other commands, so that it does not keep their code in memory.
    const others = verb === 'up' || verb === 'demo' ? undefined : await addOthers()
    await program.parseAsync([...argv])
    if (exitCode !== EXIT.absent) await others?.finish()
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

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('expected a port number up to 65535.')
}

/** Undefined if the folder was removed after the shell changed to it. */
function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}
