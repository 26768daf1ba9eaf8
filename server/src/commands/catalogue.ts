import type { Config } from '../contract/config.ts'
import type { Tool, ToolDefinition, ToolEffect, ToolRow } from '../contract/tool.ts'
import { joinTool } from '../core/catalogue/join-tool.ts'
import type { Catalogue, Shelves } from './ports.ts'

const PAGE = 500

export type CatalogueDeps = {
  readonly shelves: Shelves
  readonly servers: Config['servers']
  /** A third source of effects, after the operator and a trusted server. */
  readonly infer?: (definition: ToolDefinition) => readonly ToolEffect[] | undefined
}

export type LiveCatalogue = Catalogue & {
  /** Reads one server's rows again, after they were written. */
  refresh(server: string): Promise<void>
}

/**
 * The tools of all configured servers, kept in memory. Rows of a server that is no longer configured are not tools; tools
 * that are gone stay, with `gone_at`, so that a call to one is told so.
 */
export async function openCatalogue(deps: CatalogueDeps): Promise<LiveCatalogue> {
  const byServer = new Map<string, ReadonlyMap<string, Tool>>()
  const byId = new Map<string, Tool>()
  let everything: readonly Tool[] | undefined

  async function refresh(server: string): Promise<void> {
    const settings = Object.hasOwn(deps.servers, server) ? deps.servers[server] : undefined
    if (settings === undefined) return
    const rows = await rowsOf(deps.shelves, server)
    const fresh = new Map(rows.map((row) => [row.tool_id, joinTool(row, settings, deps.infer?.(row.definition))]))
    for (const tool_id of byServer.get(server)?.keys() ?? []) byId.delete(tool_id)
    for (const [tool_id, tool] of fresh) byId.set(tool_id, tool)
    byServer.set(server, fresh)
    everything = undefined
  }

  for (const server of Object.keys(deps.servers)) await refresh(server)
  return {
    tool: (tool_id) => byId.get(tool_id),
    tools: () => (everything ??= [...byId.values()]),
    refresh,
  }
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
