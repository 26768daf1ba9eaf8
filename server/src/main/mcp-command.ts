import { Option, type Command } from 'commander'
import type { Cli } from '../adapters/cli/cli.ts'
import { headersOf } from '../adapters/cli/client.ts'
import { logOf, notStarted } from '../adapters/cli/print.ts'
import { bridgeStdio } from '../adapters/mcp/bridge-stdio.ts'
import { sendToGate, type GateStart } from '../adapters/mcp/send-to-gate.ts'
import { Surface } from '../kernel/contract/caller.ts'

export function addMcpCommand(program: Command, { host, globals, target, out }: Cli): void {
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
      const start = async (): Promise<GateStart> => {
        const started = gate.url === undefined ? await host.local(globals()).start() : NOT_HERE
        if (started.is === 'started') return { ok: true }
        if (started.is === 'not_configured') {
          // MCP clients start this in a folder of their own, so the missing file is named.
          const missing = `there is no ${host.local(globals()).config}; name yours with --config FILE, or write one with: sluice init`
          const why = gate.url === undefined ? missing : `no gate responds at ${gate.url}; check the address`
          out().error(`${why} [gate.absent]`, 'bad')
          return { ok: false, why }
        }
        for (const line of notStarted(started)) out().error(line)
        return { ok: false, why: [...started.says.map((line) => line.trim()), ...logOf(started)].join('; ') }
      }
      await bridgeStdio(process.stdin, process.stdout, sendToGate({ ...gate, path, headers, start }))
    })
}

/** A gate on another machine is not started from here. */
const NOT_HERE = { is: 'not_configured' } as const
