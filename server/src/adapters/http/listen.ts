import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { ListenLimits } from '../../kernel/contract/auth-settings.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bind } from './bind.ts'
import { trackRequests } from './track-requests.ts'
import { guardServer, serverOptions } from './server-limits.ts'

/** A door on the listener. Returns false if the request is for another door. */
export type DoorListener = (request: IncomingMessage, response: ServerResponse, local: boolean) => boolean

export type Listening = { readonly url: string; close(): Promise<void> }
export type ListenOptions = {
  readonly host: string
  readonly port: number
  readonly socket: string
  readonly limits: ListenLimits
}

/**
 * Listens on the network address, where a key is required, and on the data folder's own socket. Each request goes to the first door
 * that handles it.
 */
export async function listen(
  doors: readonly DoorListener[],
  { host, port, socket, limits }: ListenOptions,
): Promise<Result<Listening>> {
  const network = serverFor(doors, false, limits)
  const local = serverFor(doors, true, limits)
  const [networkAnswers, localAnswers] = [trackRequests(network), trackRequests(local)]
  const bound = await bind(network, `${host}:${port}`, () => network.listen(port, host))
  if (!bound.ok) return bound
  // A socket file remains after a process is killed; the holder of the folder's lock may replace it.
  rmSync(socket, { force: true })
  const attached = await bind(local, socket, () => local.listen(socket))
  if (!attached.ok) {
    await close(network)
    return attached
  }
  chmodSync(socket, 0o600)
  const address = network.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  return ok({
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    async close() {
      await Promise.all([networkAnswers(), localAnswers()])
      await Promise.all([close(network), close(local)])
    },
  })
}

function serverFor(doors: readonly DoorListener[], local: boolean, limits: ListenLimits): Server {
  const server = createServer(serverOptions(limits), (request, response) => {
    for (const take of doors) if (take(request, response, local)) return
  })
  guardServer(server, limits)
  return server
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    // Closes the remaining connections. Their calls are recorded.
    server.closeAllConnections()
  })
}
