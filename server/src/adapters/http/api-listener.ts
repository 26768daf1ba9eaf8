import { getRequestListener } from '@hono/node-server'
import type { ClientAddress } from './client-address.ts'
import type { DoorListener } from './listen.ts'
import { httpApp, type HttpDoor } from './app.ts'
import type { Bindings } from './door.ts'

export type ApiDoor = HttpDoor & { readonly addressOf: ClientAddress }

/** The API is the last door of a listener: it answers every request, including those for unknown paths. */
export function apiListener({ addressOf, ...door }: ApiDoor): DoorListener {
  const app = httpApp(door)
  const listenerFor = (local: boolean) =>
    getRequestListener((request, { incoming }) => {
      const bindings: Bindings = { local, remote: local ? '' : addressOf(incoming), connection: incoming.socket }
      return app.fetch(request, bindings)
    })
  const [onNetwork, onSocket] = [listenerFor(false), listenerFor(true)]
  return (request, response, local) => {
    void (local ? onSocket : onNetwork)(request, response)
    return true
  }
}
