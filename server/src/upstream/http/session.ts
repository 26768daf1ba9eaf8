export type Session = {
  id(): string | undefined
  /** The id that an answer to `initialize` gave us. */
  begin(id: string | undefined): void
  agree(version: string): void
  /** What every request on this connection carries. */
  headers(): Record<string, string>
}

/** What the two sides of one HTTP connection remember of each other. */
export function openSession(noise: (says: string) => void): Session {
  let session: string | undefined
  let version: string | undefined
  return {
    id: () => session,
    begin(id) {
      if (id !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(id)) return noise('sent an invalid session id')
      session = id
    },
    agree: (agreed) => void (version = agreed),
    headers: () => ({
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    }),
  }
}
