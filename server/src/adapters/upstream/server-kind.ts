import type { LoginSettings } from '../../kernel/contract/http-settings.ts'
import type { ClientSettings, HttpSettings, ServerKinds, StdioSettings } from '../../kernel/contract/server-settings.ts'
import type { LoginStatus, ServerLogins } from '../../kernel/ports/logins.ts'
import type { Tokens } from './http/tokens.ts'
import type { RunAs } from './run-as.ts'
import type { ServerTransport } from './transport.ts'
import type { UpstreamTuning } from './tuning.ts'

/**
 * `data`: a separate folder beside the gate's data folder, passed to a child as `SLUICE_DATA`. Created by a server that needs it.
 */
export type NamedServer = {
  readonly name: string
  readonly data?: string
  /** What is missing, in sentences: the server is down until it is there. */
  readonly missing?: readonly string[]
  /** Called immediately before a request is sent. False: other nodes may have taken over this one's calls. */
  readonly mayAct?: () => boolean
}
export type ProcessServer = { readonly cwd: string; readonly run_as?: RunAs }
export type StdioServer = Omit<StdioSettings, 'tools' | 'cwd' | 'user'> & NamedServer & ProcessServer
/** `configured`: the operator has a `login` section. Without one, a login is possible if the server asks for it. */
export type ServerLogin = LoginSettings & { readonly configured: boolean }
export type HttpServer = Omit<HttpSettings, 'tools' | 'login'> & NamedServer & { readonly login?: ServerLogin }
export type ClientServer = Omit<ClientSettings, 'tools'> & NamedServer

/** One tool server, ready to be started or reached, by the key that identifies its kind. Guests add theirs by declaration merging. */
export interface ServerConfigs {
  command: StdioServer
  url: HttpServer
  client: ClientServer
}
export type ServerConfig = ServerConfigs[keyof ServerConfigs]

/** What a kind has to resolve the settings of a server. */
export type Resolving = {
  readonly name: string
  /** Relative paths start from it. */
  readonly folder: string
  /** The value of a secret; notes where one is missing. */
  readonly fetch: (reference: string, where: string) => string
}

/** Paths are absolute, secrets are fetched. `wrong`: mistakes, with their places. */
export type Resolved<Server extends ServerConfig = ServerConfig> = {
  readonly server: Server
  readonly wrong: readonly string[]
}

export type Reaching = {
  readonly tuning: UpstreamTuning
  readonly log: (line: string) => void
  /** Of a person's login at this server; absent if nobody can log in. */
  readonly tokens: Tokens | undefined
}

/** One way to reach tool servers. */
export type ServerKind<K extends keyof ServerConfigs = keyof ServerConfigs> = {
  /** The key in the settings that identifies it. */
  readonly key: K
  resolve(settings: ServerKinds[K], given: Resolving): Resolved<ServerConfigs[K]>
  transport(config: ServerConfigs[K], reaching: Reaching): ServerTransport
}

/** Whose login it is: one user's, or, without a user, the gate's own. */
type LoginOf = Pick<LoginStatus, 'server' | 'user'>

/** People's logins at tool servers, as connections use them. */
export type ConnectionLogins = Pick<ServerLogins, 'kind' | 'start' | 'status' | 'users'> & {
  /** A server that people can log in at. The newest configuration of a name counts. */
  enter(server: HttpServer): void
  tokens(of: LoginOf): Tokens | undefined
  /** Called after every login and logout. */
  onChange(listener: (of: LoginOf) => void): void
}

export type LoginsGiven = {
  /** The folder with the keys of the gate. */
  readonly keys: string
  readonly clock: () => number
  /** The URL of the gate as a browser reaches it. */
  readonly base: () => string
  readonly warn: (server: string, says: string) => void
  /** Called when a secret was added or removed. */
  readonly onSecrets: () => void
}

declare module '../../kernel/registries.ts' {
  interface Guest {
    /** Opens people's logins at tool servers. */
    readonly logins?: () => Promise<(given: LoginsGiven) => ConnectionLogins>
    readonly serverKinds?: () => Promise<readonly ServerKind[]>
  }
}

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly connectionLogins?: ConnectionLogins
  }
}
