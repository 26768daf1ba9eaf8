import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Option, type Command } from 'commander'
import { bridgeStdio } from '../mcp/bridge-stdio.ts'
import { sendToGate, type GateStart } from '../mcp/send-to-gate.ts'
import { Surface } from '../../kernel/contract/surface.ts'
import { addAuditCommands } from './audit-commands.ts'
import { addApprovalCommands } from './approval-commands.ts'
import { addCallCommands } from './call-commands.ts'
import { addServerCommands } from './server-commands.ts'
import { addCallsCommand } from './calls-command.ts'
import { addConsentCommands } from './consent-commands.ts'
import { addClockCommands } from './clock-commands.ts'
import { addCompletionCommand } from './completion.ts'
import { addAgentCommands } from '../../guests/agent/agent-commands.ts'
import { listenTo } from './event-lines.ts'
import { clientFor, followFor, headersOf, UNREACHED, type Target } from './client.ts'
import { addDelegationCommands } from './delegation-commands.ts'
import { addDownCommand } from './down-command.ts'
import { EXIT } from './exit-codes.ts'
import { addHealthCommands, addStoreCommands } from '../../guests/serenity/health-commands.ts'
import { addEraseCommand } from './erase-command.ts'
import { addFlowCommands } from '../../guests/flows/flow-commands.ts'
import { addHubCommands, addNodeCommand } from '../../guests/hub/hub-commands.ts'
import { addInitCommands } from '../../main/init-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addPackCommands } from '../../guests/packs/pack-commands.ts'
import { addPassphraseCommands } from './passphrase-commands.ts'
import { addPauseCommands } from './pause-commands.ts'
import { addPolicyCommands } from './policy-commands.ts'
import type { CliBoot } from './cli-boot.ts'
import type { Started } from './local-gate.ts'
import { printPauses } from './print-pauses.ts'
import { logOf, notStarted, type Out } from './print.ts'
import { reachGate } from './reach-gate.ts'
import { usageFault } from './usage-fault.ts'
import { chooseTarget, type TargetFlags } from './target.ts'
import { addRunCommands } from './run-commands.ts'
import { addServiceCommands } from '../../main/service-commands.ts'
import { addToolflowCommands } from '../../guests/toolflow/toolflow-commands.ts'
import type { Globals, Session } from './session.ts'
import { withWaitNotice } from './terminal-out.ts'
import { addToolCommands } from './tool-commands.ts'
import { addWorkflowCommands } from '../../guests/workflows/workflow-commands.ts'

type CommandDeps = {
  readonly boot: CliBoot
  readonly globals: () => Globals
  readonly portOf: (text: string) => number
  readonly out: () => Out
  readonly exit: (code: number) => void
}

/** Every command except those that run a gate. `finish` prints what a person should see after any of them. */
export function addCommands(program: Command, { boot, globals, portOf, out, exit }: CommandDeps) {
  let chosen: Target | undefined
  /** Resolved once, at the first request, so that unused environment variables are mentioned once. */
  const target = (flags: TargetFlags = {}): Target => {
    if (chosen !== undefined) return chosen
    const found = chooseTarget({ ...globals(), ...flags }, process.env)
    if ('fault' in found) throw usageFault(found.fault)
    const { notes, ...there } = found
    const local = there.url === undefined ? boot.local(globals()) : undefined
    if (local?.fault !== undefined) throw usageFault(local.fault)
    for (const note of [...notes, ...(local?.notes ?? [])]) out().error(note, 'quiet')
    chosen = { ...there, ...(local === undefined ? {} : { socket: local.socket }) }
    return chosen
  }
  const start = async (): Promise<Started> =>
    target().url === undefined ? boot.local(globals()).start() : { is: 'not_configured' }
  const session: Session = {
    send: (...request) =>
      withWaitNotice(
        reachGate(
          target(),
          () => boot.local(globals()).comesUp(),
          () => existsSync(boot.local(globals()).config),
        ),
        process.stderr,
      )(...request),
    out,
    exit,
    ask: async (...request) => {
      const ask = clientFor(target())
      const reply = await ask(...request)
      if (reply.status !== UNREACHED || target().url !== undefined) return reply
      return (await boot.local(globals()).comesUp()) ? ask(...request) : reply
    },
    follow: (...request) => followFor(target())(...request),
    subscribe: (...request) => listenTo(target())(...request),
    isElsewhere: () => target().url !== undefined,
    offline: {
      test: (asked) => boot.offline(globals()).test(asked),
      lint: (asked) => boot.offline(globals()).lint(asked),
    },
    verify: (against) => boot.verify(globals(), against),
    reset: () => boot.reset(globals()),
    correctClock: (agrees) => boot.correctClock(globals(), agrees),
    createKey: (wanted, isNewFolder) => boot.createKey(globals(), wanted, isNewFolder),
    init: (initOptions) => boot.init(globals(), initOptions),
    service: () => boot.service(globals()),
    doctor: () => boot.doctor(globals()),
    backUp: (file) => boot.backUp(globals(), file),
    restore: (file) => boot.restore(globals(), file),
    revokeRestored: (keys) => boot.revokeRestored(globals(), keys),
    move: (address, schema) => boot.move(globals(), address, schema),
    fail(says) {
      out().error(says)
      exit(EXIT.usage)
    },
  }

  addNodeCommand(program, boot, globals, portOf, exit)
  addDownCommand(program, session)
  program
    .command('mcp')
    .description('serve MCP on stdin and stdout, as a client of the running gate')
    .option('--agent <name>', 'the name of this agent (default mcp)')
    .addOption(new Option('--surface <surface>', 'the tools the client sees').choices(Surface.options))
    .action(async (options: { agent?: string; surface?: string }) => {
      const there = target(options.agent === undefined ? {} : { agent: options.agent })
      const isNobody = there.url === undefined && there.key === undefined && there.as === undefined
      const gate = isNobody ? { ...there, as: 'agent:mcp' } : there
      const path = options.surface === undefined ? '/mcp' : `/mcp?surface=${options.surface}`
      const headers = headersOf(gate)
      const begin = async (): Promise<GateStart> => {
        const started = await start()
        if (started.is === 'started') return { ok: true }
        if (started.is === 'not_configured') {
          // MCP clients start this in a folder of their own, so the missing file is named.
          const missing = `there is no ${boot.local(globals()).config}; name yours with --config FILE, or write one with: sluice init`
          const why = gate.url === undefined ? missing : `no gate responds at ${gate.url}; check the address`
          out().error(`${why} [gate.absent]`, 'bad')
          return { ok: false, why }
        }
        for (const line of notStarted(started)) out().error(line)
        return { ok: false, why: [...started.says.map((line) => line.trim()), ...logOf(started)].join('; ') }
      }
      await bridgeStdio(process.stdin, process.stdout, sendToGate({ ...gate, path, headers, start: begin }))
    })
  program
    .command('hook <client>')
    .description('judge a tool call of a coding agent; the hook of the agent runs this command (docs/hooks.md)')
    .option('--wait <seconds>', 'how long to wait for a person')
    .allowUnknownOption()
    .action((client: string, options: { wait?: string }) => {
      // The launcher handles `sluice hook` itself; this is for `hook` after other options.
      const wait = options.wait === undefined ? [] : ['--wait', options.wait]
      const { socket } = boot.local(globals())
      const words = [boot.launcher, 'hook', client, '--socket', socket, ...wait]
      exit(spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 2)
    })
  program
    .command('bench [words...]')
    .description('run the benchmarks; only in a checkout of the repository')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const measured = boot.bench([...words, ...(globals().json === true ? ['--json'] : [])])
      if (measured === undefined)
        session.fail('the benchmarks are not in the published package: run this in a checkout')
      else exit(await measured)
    })
  addCallCommands(program, session)
  addServerCommands(program, session)
  addCallsCommand(program, session)
  addToolCommands(program, session)
  addToolflowCommands(program, session)
  addFlowCommands(program, session)
  addHubCommands(program, session)
  addAgentCommands(program, session)
  addRunCommands(program, session, boot.runKinds)
  addWorkflowCommands(program, session)
  addApprovalCommands(program, session)
  addConsentCommands(program, session)
  addDelegationCommands(program, session)
  addPolicyCommands(program, session)
  addAuditCommands(program, session)
  addPauseCommands(program, session)
  addEraseCommand(program, session)
  addClockCommands(program, session)
  addKeyCommands(program, session)
  addPackCommands(program, session)
  addPassphraseCommands(program, session)
  addInitCommands(program, session)
  addHealthCommands(program, session)
  addStoreCommands(program, session)
  addServiceCommands(program, session)
  addCompletionCommand(program, session)

  return {
    async finish(): Promise<void> {
      // `pauses` has just printed them.
      const isListed = program.args[0] === 'pauses'
      if (chosen !== undefined && !isListed) await printPauses(session)
    },
  }
}
