import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { bridgeStdio } from '../mcp/bridge-stdio.ts'
import { sendToGate } from '../mcp/send-to-gate.ts'
import { Surface } from '../../contract/surface.ts'
import { addAdminCommands } from './admin-commands.ts'
import { addApprovalCommands } from './approval-commands.ts'
import { addCallCommands } from './call-commands.ts'
import { addConsentCommands } from './consent-commands.ts'
import { addCompletionCommand } from './completion.ts'
import { BROKE_OFF, clientFor, followFor, headersOf, NOBODY, type Client, type Target } from './client.ts'
import { addDownCommand } from './down-command.ts'
import { EXIT } from './exit-codes.ts'
import { addHealthCommands } from './health-commands.ts'
import { addEraseCommand } from './erase-command.ts'
import { addInitCommands } from './init-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addPassphraseCommands } from './passphrase-commands.ts'
import { addPolicyCommands } from './policy-commands.ts'
import type { Out } from './print.ts'
import { chooseTarget, type TargetFlags } from './target.ts'
import { addRunCommands } from './run-commands.ts'
import { addToolflowCommands } from './toolflow-commands.ts'
import type { Session } from './session.ts'
import { patiently, terminalOut } from './terminal-out.ts'
import { addToolCommands } from './tool-commands.ts'
import type { CliBoot } from './cli-boot.ts'

type Globals = { config?: string; data?: string; json?: boolean; url?: string; key?: string; as?: string }

/** The command line: translates words into requests to the running gate. Resolves with the exit code. */
export async function runCli(argv: readonly string[], boot: CliBoot): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = new Command('sluice')
    .description('the gate that every tool call of every agent passes through')
    .version(boot.version, '--version', 'print the version')
    .option('--config <file>', 'the configuration (default ./sluice.yaml)')
    .option('--data <folder>', 'the data folder (default: from the configuration)')
    .option('--url <url>', 'a gate somewhere else (or SLUICE_URL)')
    .option('--key <key>', 'who you are there (or SLUICE_KEY)')
    .option('--as <kind:name>', 'on the local socket: act as somebody with fewer rights')
    .option('--json', "print the gate's own answer")
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  // Whoever reads may have seen enough, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const globals = () => program.opts<Globals>()
  const out = (): Out => terminalOut(process.stdout, process.stderr, globals().json === true)
  let chosen: Target | undefined
  /** Found once, when the first request is sent: what of the environment is not used is said once. */
  const target = (flags: TargetFlags = {}): Target => {
    if (chosen !== undefined) return chosen
    const found = chooseTarget({ ...globals(), ...flags }, process.env)
    if ('fault' in found) {
      out().error(found.fault)
      throw new CommanderError(EXIT.usage, 'sluice.target', found.fault)
    }
    const { notes, ...there } = found
    for (const note of notes) out().error(note)
    chosen = { ...there, ...(there.url === undefined ? { socket: boot.local(globals()).socket } : {}) }
    return chosen
  }
  const session: Session = {
    send: (...request) =>
      patiently(
        reach(target(), () => boot.local(globals()).start()),
        process.stderr,
      )(...request),
    out,
    exit: (code) => void (exitCode = code),
    ask: (...request) => clientFor(target())(...request),
    follow: (...request) => followFor(target())(...request),
    isElsewhere: () => target().url !== undefined,
    offline: {
      test: (asked) => boot.offline(globals()).test(asked),
      lint: (asked) => boot.offline(globals()).lint(asked),
    },
    verify: (against) => boot.verify(globals(), against),
    reset: () => boot.reset(globals()),
    createKey: (wanted) => boot.createKey(globals(), wanted),
    init: (wish) => boot.init(globals(), wish),
    doctor: () => boot.doctor(globals()),
    backUp: (file) => boot.backUp(globals(), file),
    restore: (file) => boot.restore(globals(), file),
    fail(says) {
      out().error(says)
      exitCode = EXIT.usage
    },
  }

  program
    .command('up')
    .description('run the gate')
    .option('--port <port>', 'listen here instead of the configured port', portOf)
    .action(async (options: { port?: number }) => {
      exitCode = await boot.up({ ...globals(), ...options })
    })
  addDownCommand(program, session)
  program
    .command('demo')
    .description('run the gate with two tool servers behind it, an outbox and a folder of files, in ./sluice-demo')
    .option('--port <port>', 'listen here instead of the configured port', portOf)
    .action(async (options: { port?: number }) => {
      exitCode = await boot.up({ ...globals(), ...options, demo: true })
    })
  program
    .command('mcp')
    .description('MCP on stdin and stdout, as a client of the running gate')
    .option('--agent <name>', 'the name this agent is known by (default mcp)')
    .addOption(new Option('--surface <surface>', 'what the client sees').choices(Surface.options))
    .action(async (options: { agent?: string; surface?: string }) => {
      const there = target(options.agent === undefined ? {} : { agent: options.agent })
      const isNobody = there.url === undefined && there.key === undefined && there.as === undefined
      const gate = isNobody ? { ...there, as: 'agent:mcp' } : there
      const path = options.surface === undefined ? '/mcp' : `/mcp?surface=${options.surface}`
      const start = () => (gate.url === undefined ? boot.local(globals()).start() : Promise.resolve(false))
      const headers = headersOf(gate)
      await bridgeStdio(process.stdin, process.stdout, sendToGate({ ...gate, path, headers, start }))
    })
  program
    .command('bench [words...]')
    .description('measure what a call costs, how it grows, what search finds; in a checkout of the repository')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const measured = boot.bench([...words, ...(globals().json === true ? ['--json'] : [])])
      if (measured === undefined) session.fail('the benches are not in the published package: run this in a checkout')
      else exitCode = await measured
    })
  addCallCommands(program, session)
  addToolCommands(program, session)
  addToolflowCommands(program, session)
  addRunCommands(program, session)
  addApprovalCommands(program, session)
  addConsentCommands(program, session)
  addPolicyCommands(program, session)
  addAdminCommands(program, session)
  addEraseCommand(program, session)
  addKeyCommands(program, session)
  addPassphraseCommands(program, session)
  addInitCommands(program, session)
  addHealthCommands(program, session)
  addCompletionCommand(program, session)

  try {
    await program.parseAsync([...argv])
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  }
  return exitCode
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('a port is a whole number up to 65535.')
}

/**
 * The client for the gate that is meant. A local one that is absent is started, where there is a configuration to start it with.
 * INVARIANT: a request that may have changed something is sent once. Only reads are sent again after the connection broke.
 */
function reach(target: Target, start: () => Promise<boolean>): Client {
  const client = clientFor(target)
  return async (...request) => {
    const reply = await client(...request)
    const mayResend = reply.status === NOBODY || (reply.status === BROKE_OFF && request[0] === 'GET')
    if (!mayResend || target.url !== undefined) return reply
    return (await start()) ? client(...request) : reply
  }
}
