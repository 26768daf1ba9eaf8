import type { Config } from '../kernel/contract/config.ts'
import type { GuestServer } from '../kernel/ports/guest-server.ts'
import type { ToolServers } from '../kernel/ports/upstream.ts'

/** The configured servers, and those that guests provide. */
export const withGuestServers = (
  servers: Config['servers'],
  guestServers: readonly GuestServer[],
): Config['servers'] => ({
  ...servers,
  ...Object.fromEntries(
    guestServers.filter(({ name }) => !Object.hasOwn(servers, name)).map(({ name, settings }) => [name, settings]),
  ),
})

/** Wraps the servers; calls to those of guests are answered by the guests. */
export function answeredByGuests(
  servers: ToolServers,
  guestServers: readonly GuestServer[],
  mayAct: () => boolean,
): ToolServers {
  if (guestServers.length === 0) return servers
  return {
    ...servers,
    call(call) {
      const guest = guestServers.find(({ name }) => name === call.server)
      return guest === undefined ? servers.call(call) : guest.call(call, mayAct)
    },
  }
}
