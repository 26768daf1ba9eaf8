import { ok, specOf } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { installedHook, refreshHook } from './installed-hook.ts'
import type { OwnServer, ToolPlace } from './judge-tool-use.ts'

export const prepareHooks: PrepareGuest = ({ file, url, places, log }) =>
  ok({
    ports: { ownServer: loadedLater({ config: file, url }) },
    start() {
      const refreshed = refreshHook(installedHook(places.data))
      if (!refreshed.ok) log('warn', specOf(refreshed.problem).says, refreshed.problem.about)
      return async () => {}
    },
  })

/** With the first tool that a client is about to use: it reads files with libraries that no start should load. */
function loadedLater(gate: { readonly config: string; readonly url: () => string }): OwnServer {
  let loaded: Promise<(place: ToolPlace) => boolean> | undefined
  return async (place) => {
    loaded ??= import('./own-server.ts').then(({ ownServer }) => ownServer(gate))
    return (await loaded)(place)
  }
}
