import type { Call } from '../../../kernel/contract/call.ts'
import type { ServerSettings } from '../../../kernel/contract/server-settings.ts'
import type { ContentSettings } from '../section.ts'
import type { Tool } from '../../../kernel/contract/tool.ts'
import type { ContentFact } from '../content-fact.ts'
import type { DataReach } from '../data-destination.ts'
import type { MaybePromise } from '../../../kernel/ports/runtime.ts'
import { settingsOf, type Judgement } from '../../../kernel/decide/judging.ts'

const CAREFUL: ContentSettings = { pii: 'ask', credentials: [] }

/** What the arguments contain, and where they would go. */
export function contentFact(
  judgement: Pick<Judgement, 'servers' | 'search'>,
  call: Call,
  tool: Tool,
): MaybePromise<ContentFact> {
  const settings = settingsOf(judgement, tool)?.content ?? CAREFUL
  const server = Object.hasOwn(judgement.servers, call.server) ? judgement.servers[call.server] : undefined
  const reach = server === undefined ? ELSEWHERE : reachOf(server)
  const scan = judgement.search.args(call.canonical_args)
  return scan instanceof Promise ? scan.then((found) => factOf(settings, reach, found)) : factOf(settings, reach, scan)
}

const factOf = (settings: ContentSettings, reach: DataReach, scan: ContentFact['scan']): ContentFact => ({
  ...settings,
  reach,
  scan,
})

const reaches = new WeakMap<ServerSettings, DataReach>()
/** An unknown server counts as remote. */
const ELSEWHERE: DataReach = { server: 'remote', files: 'unknown' }

/** A server with a URL is remote, unless the URL is this machine. Settings are replaced, never changed. */
function reachOf(server: ServerSettings): DataReach {
  const known = reaches.get(server)
  if (known !== undefined) return known
  const files = server.sandbox?.local === true ? 'local' : 'unknown'
  const address = server.url ?? server.address
  const reach: DataReach = { server: address === undefined || isLoopback(address) ? 'local' : 'remote', files }
  reaches.set(server, reach)
  return reach
}

const isLoopback = (address: string): boolean =>
  /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/?#]|$)/i.test(address)
