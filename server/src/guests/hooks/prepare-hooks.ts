import { ok, specOf } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { installedHook, refreshHook } from './installed-hook.ts'
import { ownServer } from './own-server.ts'

export const prepareHooks: PrepareGuest = ({ file, url, places, log }) =>
  ok({
    ports: { ownServer: ownServer({ config: file, url }) },
    start() {
      const refreshed = refreshHook(installedHook(places.data))
      if (!refreshed.ok) log('warn', specOf(refreshed.problem).says, refreshed.problem.about)
      return async () => {}
    },
  })
