import { getRequestListener } from '@hono/node-server'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { ListenLimits } from '../../contract/auth-settings.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { McpListener } from '../mcp/serve-http.ts'
import { lastAnswersOf } from './last-answers.ts'
import type { App, Bindings } from '../http/route.ts'
import { guardServer, serverOptions } from './server-limits.ts'

export type Listening = { readonly url: string; close(): Promise<void> }
export type ListenOptions = {
  readonly host: string
  readonly port: number
  readonly socket: string
  readonly limits: ListenLimits
}

/** Opens the door twice: on the network address, where a key is needed, and on the data folder's own socket. */
export async function listen(
  app: App,
  mcp: McpListener,
  { host, port, socket, limits }: ListenOptions,
): Promise<Result<Listening>> {
  const network = serverFor(app, mcp, false, limits)
  const local = serverFor(app, mcp, true, limits)
  const [networkAnswers, localAnswers] = [lastAnswersOf(network), lastAnswersOf(local)]
  const bound = await bind(network, `${host}:${port}`, () => network.listen(port, host))
  if (!bound.ok) return bound
  // A socket file outlives a killed process; whoever holds the folder's lock may replace it.
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

function serverFor(app: App, mcp: McpListener, local: boolean, limits: ListenLimits): Server {
  const api = getRequestListener((request, { incoming }) => {
    const bindings: Bindings = { local, remote: incoming.socket.remoteAddress ?? '' }
    return app.fetch(request, bindings)
  })
  const server = createServer(serverOptions(limits), (request, response) => {
    if (!mcp(request, response, local)) void api(request, response)
  })
  guardServer(server, limits)
  return server
}

function bind(server: Server, address: string, start: () => void): Promise<Result<void>> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(refuse('gate.no_address', { address, because: error.code ?? error.message })),
    )
    server.once('listening', () => resolve(ok(undefined)))
    start()
  })
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    // Whoever is still waiting for an answer gets a closed connection: the call itself is recorded.
    server.closeAllConnections()
  })
}
