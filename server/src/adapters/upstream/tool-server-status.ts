import type { Offerings, ToolServers } from '../../kernel/ports/upstream.ts'
import type { LoginStatus } from '../../kernel/ports/logins.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { ServerConfig } from './server-kind.ts'

/** What `sluice servers` shows of one server. */
export type ServerStatus = {
  readonly server: string
  /** `waiting`: it failed and is not retried before the back-off is over. `needs_login`: somebody has to log in there first. */
  readonly state: 'starting' | 'ready' | 'waiting' | 'needs_login' | 'closed'
  readonly breaker: 'closed' | 'open' | 'half_open'
  /** The negotiated revision of MCP. */
  readonly protocol?: string
  readonly tools: number
  readonly active: number
  readonly queued: number
  readonly starts: number
  /** When it came up, went down, or was found to need a login. */
  readonly since: number
  /** Attempts in a row that failed. */
  readonly failures: number
  /** Answers that came after their call was given up. */
  readonly late_answers: number
  readonly last_failure?: string
  /** The gate's own login there, if people can log in. `users`: how many have their own. */
  readonly login?: Omit<LoginStatus, 'server' | 'user'> & { readonly per: 'gate' | 'user'; readonly users?: number }
  /** The end of what its last run wrote to stderr, without secrets and without characters that do something. */
  readonly stderr: readonly string[]
}

export type UpstreamLog = (line: {
  readonly level: 'info' | 'warn'
  readonly server: string
  readonly says: string
}) => void

/** What boot holds: the port for commands, and what only operators' doors and the shutdown need. */
export type OpenToolServers = ToolServers &
  Offerings & {
    status(): readonly ServerStatus[]
    /** Resolves once the server is connected and its tools are registered, or this attempt has failed. Starts it if necessary. */
    ready(server: string): Promise<Result<ServerStatus>>
    /** Tries at once to reach a server that is down. Resolves like `ready`, or when the attempt takes too long to wait for. */
    retry(server: string): Promise<void>
    /**
     * Replaces the servers. One that is new or configured differently is started; one that was removed or replaced accepts no
     * more calls, and ends after those in progress, or after half a minute.
     */
    change(servers: readonly ServerConfig[]): void
    /** Asks every child to end, then forces it. Calls in progress are lost; later ones are not sent. */
    close(): Promise<void>
  }
