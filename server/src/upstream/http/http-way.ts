import { openConnection } from '../connection.ts'
import type { HttpServer } from '../server-config.ts'
import { strikeOut } from '../strike-out.ts'
import type { Tuning } from '../tuning.ts'
import type { OpenWire } from '../wire.ts'
import type { Way } from '../way.ts'
import { openEventWire } from './event-wire.ts'
import { openStreamable } from './streamable-wire.ts'
import { openTokens } from './tokens.ts'

/** A server that is reached over HTTP: streamable, and where it does not know that, the older way. */
export function httpWay(config: HttpServer, tuning: Tuning): Way {
  const tokens = config.oauth === undefined ? undefined : openTokens(config.oauth, tuning.start_timeout_ms)
  const secrets = () =>
    [...Object.values(config.headers), config.oauth?.client_secret, tokens?.present()].filter(
      (text) => text !== undefined,
    )
  const wires = [openStreamable, openEventWire].map(
    (open): OpenWire =>
      (deps) =>
        open({ ...deps, config, tuning, tokens }),
  )
  return {
    connect: (deps, legacy) => openConnection(wires, deps, legacy),
    stderr: () => [],
    hide: (says) => strikeOut(secrets(), says),
  }
}
