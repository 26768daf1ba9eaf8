import { openConnection } from '../connection.ts'
import type { HttpServer } from '../server-kind.ts'
import { removeSecrets } from '../remove-secrets.ts'
import type { UpstreamTuning } from '../tuning.ts'
import type { OpenWire } from '../wire.ts'
import type { ServerTransport } from '../transport.ts'
import { openTokens, type Tokens } from './tokens.ts'

/** A server that is reached over HTTP: streamable, or the older transport if it does not support that. */
export function httpTransport(config: HttpServer, tuning: UpstreamTuning, login?: Tokens): ServerTransport {
  const tokens = config.oauth === undefined ? login : openTokens(config.oauth, tuning.start_timeout_ms)
  const secrets = () =>
    [...Object.values(config.headers), config.oauth?.client_secret, ...(tokens?.secrets() ?? [])].filter(
      (text) => text !== undefined,
    )
  return {
    async connect(deps, legacy) {
      // The library is large, so it is loaded only if there is a server over HTTP.
      const [{ openStreamable }, { openEventWire }] = await Promise.all([
        import('./streamable-wire.ts'),
        import('./event-wire.ts'),
      ])
      const wires = [openStreamable, openEventWire].map(
        (open): OpenWire =>
          (deps) =>
            open({ ...deps, config, tuning, tokens }),
      )
      return openConnection(wires, deps, legacy)
    },
    stderr: () => [],
    hide: (says) => removeSecrets(secrets(), says),
  }
}
