import type { ToolsListed } from '../commands/ports/catalogue.ts'
import type { Notice } from '../commands/ports/upstream.ts'
import { problem, refuse } from '../contract/problems.ts'
import type { ServerConfig } from './server-config.ts'
import { commandsTransport } from './commands/commands-transport.ts'
import { httpTransport } from './http/http-transport.ts'
import { openApiTransport } from './openapi/openapi-transport.ts'
import { stdioTransport } from './stdio/stdio-transport.ts'
import { toolServer } from './tool-server.ts'
import type { OpenToolServers, UpstreamLog } from './tool-server-status.ts'
import { TUNING, type Tuning } from './tuning.ts'
import type { Transport } from './transport.ts'

export type ToolServersOptions = {
  readonly servers: readonly ServerConfig[]
  readonly onListed: ToolsListed
  readonly log: UpstreamLog
  /** What the gate calls itself in handshakes. */
  readonly version?: string
  readonly tuning?: Partial<Tuning>
}

/** The only exit. All servers start in the background; none waits for another, and a call starts the one it needs. */
export function openToolServers(options: ToolServersOptions): OpenToolServers {
  const tuning = { ...TUNING, ...options.tuning }
  const identity = { name: 'sluice', version: options.version ?? '0' }
  const { onListed, log } = options
  const listeners = new Set<(notice: Notice) => void>()
  const onNotice = (notice: Notice) => {
    for (const listener of listeners) listener(notice)
  }
  const servers = new Map(
    options.servers.map((config) => {
      const way = wayTo(config, tuning, (says) => log({ level: 'info', server: config.name, says }))
      return [config.name, toolServer({ config, way, tuning, identity, onListed, onNotice, log })]
    }),
  )
  for (const server of servers.values()) server.start()
  const unknown = (server: string) => problem('tool.unavailable', { server, why: 'no such server is configured' })
  return {
    call: async (call) => servers.get(call.server)?.call(call) ?? { is: 'not_sent', problem: unknown(call.server) },
    ask: async (question) =>
      servers.get(question.server)?.ask(question) ?? { is: 'not_sent', problem: unknown(question.server) },
    watch: async (server, uri) => servers.get(server)?.watch(uri) ?? { is: 'not_sent', problem: unknown(server) },
    offers: () =>
      [...servers].flatMap(([server, each]) => {
        const capabilities = each.capabilities()
        return capabilities === undefined ? [] : [{ server, capabilities }]
      }),
    onNotice(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    status: () => [...servers.values()].map((server) => server.status()),
    ready: async (server) => servers.get(server)?.ready() ?? refuse('tool.unavailable', unknown(server).about),
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()))
    },
  }
}

function wayTo(config: ServerConfig, tuning: Tuning, log: (line: string) => void): Transport {
  if (config.url !== undefined) return httpTransport(config, tuning)
  if (config.openapi !== undefined) return openApiTransport(config, tuning)
  if (config.commands !== undefined) return commandsTransport(config, tuning.grace_ms)
  return stdioTransport(config, tuning.grace_ms, log)
}
