import { BROKE_OFF, clientFor, UNREACHED, type Client, type Target } from './client.ts'
import type { Started } from './local-gate.ts'

/**
 * The client for the selected gate. A local gate that is not running is started if there is a configuration for it.
 * INVARIANT: a request that may have changed something is sent once. Only reads are sent again after the connection broke.
 */
export function reachGate(target: Target, start: () => Promise<Started>): Client {
  const client = clientFor(target)
  return async (...request) => {
    const reply = await client(...request)
    const mayResend = reply.status === UNREACHED || (reply.status === BROKE_OFF && request[0] === 'GET')
    if (!mayResend || target.url !== undefined) return target.url === undefined ? reply : { ...reply, at: target.url }
    const started = await start()
    if (started.is === 'started') return client(...request)
    if (started.is === 'failed') return { ...reply, status: UNREACHED, started }
    return reply.status === UNREACHED ? { ...reply, unconfigured: true } : reply
  }
}
