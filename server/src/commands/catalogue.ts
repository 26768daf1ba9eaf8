import type { Config, ServerSettings } from '../contract/config.ts'
import type { Tool, ToolRow } from '../contract/tool.ts'
import { joinTool } from '../core/catalogue/join-tool.ts'
import type { Catalogue, Shelves } from './ports.ts'

const PAGE = 500

export type CatalogueDeps = {
  readonly shelves: Shelves
  readonly servers: Config['servers']
}

export type LiveCatalogue = Catalogue & {
  /** Reads one server's rows again, after they were written. */
  refresh(server: string): Promise<void>
  /** Hears of every server whose tools are other ones than before. */
  onRefresh(listener: (server: string) => void): void
}

/**
 * The tools of all configured servers, kept in memory. Rows of a server that is no longer configured are not tools; tools
 * that are gone stay, with `gone_at`, so that a call to one is told so.
 */
export async function openCatalogue(deps: CatalogueDeps): Promise<LiveCatalogue> {
  const byServer = new Map<string, ReadonlyMap<string, Tool>>()
  const byId = new Map<string, Tool>()
  const listeners = new Set<(server: string) => void>()
  let everything: readonly Tool[] | undefined

  async function refresh(server: string): Promise<void> {
    const settings = Object.hasOwn(deps.servers, server) ? deps.servers[server] : undefined
    if (settings === undefined) return
    const rows = await rowsOf(deps.shelves, server)
    const before = byServer.get(server)
    const fresh = new Map(rows.map((row) => [row.tool_id, rejoin(before?.get(row.tool_id), row, settings)]))
    for (const tool_id of before?.keys() ?? []) byId.delete(tool_id)
    for (const [tool_id, tool] of fresh) byId.set(tool_id, tool)
    byServer.set(server, fresh)
    everything = undefined
    if (before === undefined || !isSame(before, fresh)) for (const listener of listeners) listener(server)
  }

  for (const server of Object.keys(deps.servers)) await refresh(server)
  return {
    tool: (tool_id) => byId.get(tool_id),
    tools: () => (everything ??= [...byId.values()]),
    refresh,
    onRefresh: (listener) => void listeners.add(listener),
  }
}

/** A server that only came back lists what it listed before: that is no news. */
function isSame(before: ReadonlyMap<string, Tool>, after: ReadonlyMap<string, Tool>): boolean {
  if (before.size !== after.size) return false
  return [...after].every(([tool_id, { row }]) => {
    const old = before.get(tool_id)?.row
    const isUnchanged = old?.definition_hash === row.definition_hash && old.gone_at === row.gone_at
    return isUnchanged && old.admitted?.hash === row.admitted?.hash
  })
}

/** What a tool does follows from its definition and the configuration; of an unchanged definition it is not asked again. */
function rejoin(before: Tool | undefined, row: ToolRow, settings: ServerSettings): Tool {
  return before?.row.definition_hash === row.definition_hash ? { ...before, row } : joinTool(row, settings)
}

async function rowsOf(shelves: Shelves, server: string): Promise<readonly ToolRow[]> {
  const rows: ToolRow[] = []
  let after: number | undefined
  for (;;) {
    const page = await shelves.list('tools', { server }, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    rows.push(...page.map((held) => held.row))
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return rows
  }
}
