export type McpSession = {
  id(): string | undefined
  /** The id from the answer to `initialize`. */
  begin(id: string | undefined): void
  agree(version: string): void
  /** The headers of every request on this connection. */
  headers(): Readonly<Record<string, string>>
}

/** The state of one HTTP connection: session id and protocol version. */
export function openMcpSession(noise: (says: string) => void): McpSession {
  let session: string | undefined
  let version: string | undefined
  let headers: Readonly<Record<string, string>> = {}
  const changed = () => {
    headers = {
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    }
  }
  return {
    id: () => session,
    begin(id) {
      if (id !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(id)) return noise('sent an invalid session id')
      session = id
      changed()
    },
    agree(agreed) {
      version = agreed
      changed()
    },
    headers: () => headers,
  }
}
