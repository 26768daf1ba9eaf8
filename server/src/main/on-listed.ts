import type { ListingFindings } from '../kernel/catalogue/listing-findings.ts'
import { registerTools, type RegisterDeps } from '../kernel/catalogue/register-tools.ts'
import { idsIn, unlistedSettings } from '../kernel/catalogue/unlisted-settings.ts'
import type { LivePolicy } from '../kernel/policy/live-policy.ts'
import type { ToolsListed } from '../kernel/ports/catalogue.ts'
import { LISTING_SAYS } from '../kernel/contract/tool-bounds.ts'
import type { ServerTable } from './live-servers.ts'
import type { Log } from '../kernel/ports/log.ts'

export type OnListedDeps = RegisterDeps & {
  readonly live: Pick<LivePolicy, 'reload'>
  readonly listingFindings: ListingFindings
  readonly table: ServerTable
  readonly log: Log
}

/** Registers what a server lists, and reports what was cut, left out or is missing the first time that happens. */
export function onListedWith(deps: OnListedDeps): ToolsListed {
  const { live, listingFindings, table, log } = deps
  /** What was last said about each server: one that lists its tools again and again must not fill the log. */
  const said = new Map<string, string>()
  return async (server, definitions, findings) => {
    const registered = await registerTools(deps, server, definitions, findings)
    if (!registered.ok)
      return log('error', 'the tools of a server could not be registered', { server, code: registered.problem.code })
    listingFindings.set(server, registered.value.findings)
    for (const { rule, tools, example } of registered.value.news)
      log('warn', LISTING_SAYS[rule], { server, tools, example })
    const unlisted = unlistedSettings(deps.digest, server, table[server], idsIn(deps.digest, server, definitions))
    if (said.get(server) !== unlisted.join()) for (const says of unlisted) log('warn', says, { server })
    said.set(server, unlisted.join())
    // Conditions are checked against admitted schemas, and some may be new.
    if (registered.value.listed.length > 0) await live.reload('catalogue')
  }
}
