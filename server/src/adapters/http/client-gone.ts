/**
 * Whether a request failed because its client disconnected. A connection of the gate itself, such as the one to its database, fails
 * with the same code, and then the client is still there and waits for its answer.
 */
export function isClientGone(error: Error & { readonly code?: unknown }, connection: object | undefined): boolean {
  if (error.code !== 'ECONNRESET') return false
  return connection !== undefined && 'destroyed' in connection && connection.destroyed === true
}
