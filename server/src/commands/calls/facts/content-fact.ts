import type { Call } from '../../../contract/call.ts'
import type { ServerSettings } from '../../../contract/config.ts'
import type { ContentSettings } from '../../../contract/judgement.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { ContentFact } from '../../../core/gate/content/content-fact.ts'
import type { Reach } from '../../../core/gate/content/data-destination.ts'
import type { MaybePromise } from '../../ports/runtime.ts'
import { withResult } from '../../maybe-promise.ts'
import { settingsOf, type Judgement } from './load-judgement.ts'

const CAREFUL: ContentSettings = { pii: 'ask', credentials: [] }

/** What the arguments contain, and where they would go. */
export function contentFact(
  judgement: Pick<Judgement, 'servers' | 'scanner'>,
  call: Call,
  tool: Tool,
): MaybePromise<ContentFact> {
  const settings = settingsOf(judgement, tool)?.content ?? CAREFUL
  const server = Object.hasOwn(judgement.servers, call.server) ? judgement.servers[call.server] : undefined
  const reach = reachOf(server)
  return withResult(judgement.scanner.args(call.canonical_args), (scan) => ({ ...settings, reach, scan }))
}

/** A server with a URL is remote, unless the URL is this machine; an unknown server counts as remote too. */
function reachOf(server: ServerSettings | undefined): Reach {
  const files = server?.sandbox?.local === true ? 'local' : 'unknown'
  if (server === undefined) return { server: 'remote', files }
  const address = server.url ?? (server.openapi === undefined ? undefined : (server.base_url ?? 'elsewhere'))
  return { server: address === undefined || isLoopback(address) ? 'local' : 'remote', files }
}

const isLoopback = (address: string): boolean =>
  /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/?#]|$)/i.test(address)
