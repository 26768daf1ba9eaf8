import type { ConnectionAttempt, ConnectionSetup } from './connection.ts'

/** How one server is reached, as long as the gate runs: over MCP, or by something that is not an MCP server. */
export type ServerTransport = {
  /** A connection whose tools are registered, or why there is none. Never rejects. `legacy`: the previous one was. */
  connect(deps: ConnectionSetup, legacy: boolean): Promise<ConnectionAttempt>
  /** The end of what it wrote to stderr, if it has one. */
  stderr(): readonly string[]
  /** The sentence without the server's secrets. */
  hide(says: string): string
}
