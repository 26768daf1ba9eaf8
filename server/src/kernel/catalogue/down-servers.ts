import type { Caller } from '../contract/caller.ts'
import { visibleText } from '../contract/visible-text.ts'
import type { Tool } from '../contract/tool.ts'

/** The part of a server's health that decides whether its tools can be found and called. */
type Health = { readonly server: string; readonly state: string; readonly last_failure?: unknown }

export type DownServer = {
  readonly code: 'server.down' | 'server.starting' | 'server.needs_login'
  readonly server: string
  readonly says: string
}

const LONGEST_WHY = 300

/**
 * The servers that are not ready, described for somebody who looks for their tools. A caller learns about servers whose tools it may see
 * and, unless its key is limited to some tools, about servers whose tools are not known yet.
 */
export function downServers(
  reports: readonly Health[],
  visible: readonly Tool[],
  all: readonly Tool[],
  { grant }: Pick<Caller, 'grant'>,
): readonly DownServer[] {
  const seen = new Set(visible.map(({ row }) => row.server))
  const known = new Set(all.map(({ row }) => row.server))
  const isTheirs = (server: string) => seen.has(server) || (!known.has(server) && grant?.tools === undefined)
  return reports.filter(({ server, state }) => state !== 'ready' && isTheirs(server)).map(wordsFor)
}

export function wordsFor({ server, state, last_failure }: Health): DownServer {
  const why = typeof last_failure === 'string' ? `: ${visibleText(last_failure).slice(0, LONGEST_WHY)}` : ''
  if (state === 'needs_login')
    return { code: 'server.needs_login', server, says: `the tool server \`${server}\` needs a login${why}` }
  if (state === 'starting')
    return { code: 'server.starting', server, says: `the tool server \`${server}\` is still starting` }
  return { code: 'server.down', server, says: `the tool server \`${server}\` is down${why}` }
}
