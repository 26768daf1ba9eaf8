import type { ToolsListed } from '../../kernel/ports/catalogue.ts'
import type { ServerNotification } from '../../kernel/ports/upstream.ts'
import { Bug, problem, refuse } from '../../kernel/contract/problems.ts'
import { httpTransport } from './http/http-transport.ts'
import { clientServer, httpServer, kindOf, stdioServer } from './server-config.ts'
import type {
  ConnectionLogins,
  ServerConfig,
  ServerConfigs,
  ServerKind,
  StdioServer,
  ClientServer,
} from './server-kind.ts'
import { toolServer, type ToolServer } from './tool-server.ts'
import type { OpenToolServers, ServerStatus, UpstreamLog } from './tool-server-status.ts'
import { TUNING, type UpstreamTuning } from './tuning.ts'
import type { ServerTransport } from './transport.ts'
import { userConnections, type UserConnections } from './user-connections.ts'
import { openConnection } from './connection.ts'
import { harmlessLine } from './harmless-text.ts'
import { removeSecrets } from './remove-secrets.ts'
import type { OpenWire } from './wire.ts'
import { openPipe } from './stdio/pipe.ts'
import { stderrRing } from './stdio/stderr-ring.ts'
import { clientTools } from '../../kernel/contract/hook-clients.ts'
import { createLifetime } from './http/lifetime.ts'

/** The built-in tools of a coding agent as a tool server: listed, and never called from here. */
function clientTransport({ client, name: server }: ClientServer): ServerTransport {
  const tools = clientTools(client)
  return {
    async connect({ onStart, onListed }) {
      onStart()
      try {
        await onListed(server, tools)
      } catch (error) {
        return { is: 'failed', says: String(error) }
      }
      const life = createLifetime(() => undefined)
      const connection = {
        legacy: false,
        ended: life.ended,
        isUsable: () => life.isUsable(),
        call: ({ tool }: { readonly tool: string }) =>
          Promise.resolve({
            is: 'not_sent' as const,
            problem: problem('tool.client_only', { tool: `${server}__${tool}` }),
          }),
        tools: () => tools.length,
        late: () => 0,
        kill: () => life.end('ended'),
        close: async () => life.end('closed'),
      }
      return { is: 'open', connection }
    },
    stderr: () => [],
    hide: (says) => says,
  }
}

/** A child process that communicates on stdin and stdout. The values of its configured environment count as secrets. */
function stdioTransport(config: StdioServer, grace_ms: number, log: (line: string) => void): ServerTransport {
  const secrets = Object.values(config.env)
  const hide = (says: string) => removeSecrets(secrets, says)
  const ring = stderrRing(
    // Colours could split a secret, so they are removed first.
    (line) => hide(harmlessLine(line)),
    (line) => log(`stderr: ${line}`),
    () => performance.now(),
  )
  const pipe: OpenWire = (deps) => {
    ring.begin()
    return openPipe({ ...deps, config, grace_ms, stderr: (line) => ring.add(line) })
  }
  return {
    connect: (deps, legacy) => openConnection([pipe], deps, legacy),
    stderr: () => ring.lines(),
    hide,
  }
}

/** A server that is not started, because something that it needs is missing. */
const missingSecret = (missing: readonly string[]): ServerTransport => ({
  connect: async () => ({
    is: 'failed',
    says: `it is not started, because a secret is missing: ${missing.join('; ')}`,
  }),
  stderr: () => [],
  hide: (says) => says,
})

export type ToolServersOptions = {
  readonly kinds: readonly ServerKind[]
  readonly servers: readonly ServerConfig[]
  readonly onListed: ToolsListed
  readonly log: UpstreamLog
  /** Without it, nobody can log in at a server. */
  readonly logins?: ConnectionLogins
  /** The gate's version in handshakes. */
  readonly version?: string
  readonly tuning?: Partial<UpstreamTuning>
  /** Without it, always true. */
  readonly mayAct?: () => boolean
}

/** `users`: only if each user has their own login; then `shared` only lists the tools. */
type Opened = {
  readonly config: ServerConfig
  readonly generation: number
  readonly shared: ToolServer
  readonly users?: UserConnections
}

/** How long calls in progress at a removed server may take. */
const LAST_CALLS_MS = 30_000
const LOOK_MS = 200

/** The only place that sends calls to tool servers. All servers start in the background, independently; a call starts the one it needs. */
export function openToolServers(options: ToolServersOptions): OpenToolServers {
  const tuning = { ...TUNING, ...options.tuning }
  const identity = { name: 'sluice', version: options.version ?? '0' }
  const { kinds, onListed, log, logins } = options
  const listeners = new Set<(notification: ServerNotification) => void>()
  const onNotification = (notification: ServerNotification) => {
    for (const listener of listeners) listener(notification)
  }

  let generations = 0

  function open(given: ServerConfig): Opened {
    const config = options.mayAct === undefined ? given : { ...given, mayAct: options.mayAct }
    const generation = (generations += 1)
    const deps = { config, tuning, identity, log }
    if (config.url !== undefined) logins?.enter(config)
    const transport = (said: (line: string) => void) => transportFor(config, { kinds, tuning, log: said, logins })
    const shared = toolServer({ ...deps, transport, onListed, onNotification })
    if (config.url === undefined || config.login?.per !== 'user' || logins === undefined)
      return { config, generation, shared }
    const users = userConnections({
      server: config.name,
      logins,
      now: () => performance.now(),
      open: (user) =>
        toolServer({
          ...deps,
          transport: (said) => transportFor(config, { kinds, tuning, log: said, logins, user }),
          // The tools listed for one user are not registered for others.
          onListed: async () => undefined,
          onNotification: () => undefined,
        }),
    })
    return { config, generation, shared, users }
  }

  let servers = new Map(options.servers.map((config) => [config.name, open(config)]))
  logins?.onChange(({ server, user }) => {
    if (user === undefined) servers.get(server)?.shared.reconnect()
    else servers.get(server)?.users?.end(user)
  })
  for (const { shared } of servers.values()) shared.start()
  const unknown = (server: string) => problem('tool.unavailable', { server, why: 'no such server is configured' })

  const replaced = (server: string) =>
    problem('tool.unavailable', { server, why: 'the server was replaced after the call was judged' })

  /** Servers with resources and prompts. Those of one user would be listed to all, so servers with one login per user only have tools. */
  const besides = (server: string) => {
    const at = servers.get(server)
    return at?.users === undefined ? at?.shared : undefined
  }

  /** With the gate's own login there, where people can log in. */
  function statusOf({ shared, users }: Opened): ServerStatus {
    const status = shared.status()
    const per = logins?.kind(status.server)
    if (logins === undefined || per === undefined) return status
    const { server, user: _user, waiting_until: _waiting, ...login } = logins.status({ server: status.server })
    if (login.state === 'none' && users === undefined) return status
    const count = users === undefined ? {} : { users: logins.users(server).length }
    return { ...status, login: { per, ...login, ...count } }
  }

  const retiring = new Set<Opened>()

  function retire(opened: Opened): void {
    retiring.add(opened)
    const { shared } = opened
    const until = performance.now() + LAST_CALLS_MS
    const look = setInterval(() => {
      const { active, queued } = shared.status()
      if (active + queued > 0 && performance.now() < until) return
      clearInterval(look)
      void end(opened).finally(() => retiring.delete(opened))
    }, LOOK_MS)
    look.unref()
  }

  return {
    call(call) {
      // A client ran it. Its report is an answer like any other: cleaned, labelled and recorded.
      if (call.reported !== undefined) return Promise.resolve({ is: 'answered', result: call.reported })
      const at = servers.get(call.server)
      if (at === undefined) return Promise.resolve({ is: 'not_sent', problem: unknown(call.server) })
      if (call.generation !== undefined && call.generation !== at.generation)
        return Promise.resolve({ is: 'not_sent', problem: replaced(call.server) })
      return (at.users ?? at.shared).call(call)
    },
    generation: (server) => servers.get(server)?.generation ?? 0,
    ask: async (question) =>
      besides(question.server)?.ask(question) ?? { is: 'not_sent', problem: unknown(question.server) },
    watch: async (server, uri) => besides(server)?.watch(uri) ?? { is: 'not_sent', problem: unknown(server) },
    offers: () =>
      [...servers].flatMap(([server, { shared, users }]) => {
        const capabilities = users === undefined ? shared.capabilities() : undefined
        return capabilities === undefined ? [] : [{ server, capabilities }]
      }),
    onNotification(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    status: () => [...servers.values()].map(statusOf),
    ready: async (server) => servers.get(server)?.shared.ready() ?? refuse('tool.unavailable', unknown(server).about),
    retry: async (server) => servers.get(server)?.shared.retry(),
    change(configs) {
      const before = servers
      servers = new Map(
        configs.map((config) => {
          const same = before.get(config.name)
          return [config.name, same !== undefined && isSame(same.config, config) ? same : open(config)]
        }),
      )
      const kept = new Set(servers.values())
      for (const opened of before.values()) if (!kept.has(opened)) retire(opened)
      for (const [name, { shared }] of servers) if (before.get(name)?.shared !== shared) shared.start()
    },
    async close() {
      await Promise.all([...servers.values(), ...retiring].map(end))
    },
  }
}

const end = async ({ shared, users }: Opened): Promise<void> => {
  await Promise.all([shared.close(), users?.close()])
}

const isSame = (one: ServerConfig, other: ServerConfig): boolean => JSON.stringify(one) === JSON.stringify(other)

type TransportSetup = {
  readonly kinds: readonly ServerKind[]
  readonly tuning: UpstreamTuning
  readonly log: (line: string) => void
  readonly logins: ConnectionLogins | undefined
  readonly user?: string
}

function transportFor(config: ServerConfig, { kinds, tuning, log, logins, user }: TransportSetup): ServerTransport {
  if (config.missing !== undefined) return missingSecret(config.missing)
  const kind = kindOf(kinds, config)
  if (kind === undefined) throw new Bug(`no kind for the server ${config.name}`)
  const mayLogIn = config.url !== undefined && config.login !== undefined
  const tokens = mayLogIn ? logins?.tokens({ server: config.name, user }) : undefined
  return kind.transport(config, { tuning, log, tokens })
}

const kind = <K extends keyof ServerConfigs>(one: ServerKind<K>): ServerKind => one

/** The kinds that every gate has. */
export const OWN_SERVER_KINDS: readonly ServerKind[] = [
  kind({
    key: 'command',
    resolve: stdioServer,
    transport: (config, { tuning, log }) => stdioTransport(config, tuning.grace_ms, log),
  }),
  kind({
    key: 'url',
    resolve: httpServer,
    transport: (config, { tuning, tokens }) => httpTransport(config, tuning, tokens),
  }),
  kind({ key: 'client', resolve: clientServer, transport: clientTransport }),
]
