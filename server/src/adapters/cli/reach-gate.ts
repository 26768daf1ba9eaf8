import { BROKE_OFF, clientFor, UNREACHED, type Client, type Target } from './client.ts'

/**
 * The client for the selected gate. It waits for a local gate that is starting, and starts none.
 * INVARIANT: a request that may have changed something is sent once. Only reads are sent again after the connection broke.
 */
export function reachGate(target: Target, comesUp: () => Promise<boolean>, isConfigured: () => boolean): Client {
  const client = clientFor(target)
  return async (...request) => {
    const reply = await client(...request)
    const mayResend = reply.status === UNREACHED || (reply.status === BROKE_OFF && request[0] === 'GET')
    if (!mayResend || target.url !== undefined) return target.url === undefined ? reply : { ...reply, at: target.url }
    if (await comesUp()) return client(...request)
    return reply.status === UNREACHED && !isConfigured() ? { ...reply, unconfigured: true } : reply
  }
}
