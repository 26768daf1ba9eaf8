import type { Config, ServerSettings } from '../../contract/config.ts'
import { inForce, type Tool, type ToolRow } from '../../contract/tool.ts'
import { joinTool } from '../../core/catalogue/join-tool.ts'
import { createIndex, type Hit } from '../../core/search/create-index.ts'
import type { SearchableTool } from '../../core/search/searchable-tool.ts'
import type { Catalogue, Held, Shelves } from '../ports.ts'

const PAGE = 500
/** Tools indexed at a stretch: a few milliseconds, in which a call would have to wait. */
const PIECE = 20

export type CatalogueDeps = {
  readonly shelves: Shelves
  readonly servers: Config['servers']
  /** Does something when nothing else wants to be done. Without it the index is filled by whoever searches first. */
  readonly soon?: (work: () => void) => void
}

export type LiveCatalogue = Catalogue & {
  /** Reads one server's rows again, after they were written. */
  refresh(server: string): Promise<void>
  /** Hears of every server whose tools are other ones than before. */
  onRefresh(listener: (server: string) => void): void
  /** The tools that answer a query best, of those that are offered now and that `counts`. */
  search(query: string, topK: number, counts: (tool: Tool) => boolean): readonly Hit[]
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
  const index = createIndex()
  /** What the index does not know yet: filled in piece by piece, and the rest of it by whoever cannot wait. */
  const unread = new Set<string>()
  let isReading = false

  async function refresh(server: string): Promise<void> {
    const settings = Object.hasOwn(deps.servers, server) ? deps.servers[server] : undefined
    if (settings === undefined) return
    const rows = await rowsOf(deps.shelves, server)
    const before = byServer.get(server)
    const fresh = new Map(rows.map((held) => [held.row.tool_id, rejoin(before?.get(held.row.tool_id), held, settings)]))
    for (const tool_id of before?.keys() ?? []) {
      byId.delete(tool_id)
      if (!fresh.has(tool_id)) unread.add(tool_id)
    }
    for (const [tool_id, tool] of fresh) {
      byId.set(tool_id, tool)
      if (!isSameText(before?.get(tool_id), tool)) unread.add(tool_id)
    }
    byServer.set(server, fresh)
    everything = undefined
    readSoon()
    if (before === undefined || !isSame(before, fresh)) for (const listener of listeners) listener(server)
  }

  /** INVARIANT: a tool that changed is one document indexed again, whatever the size of the catalogue. */
  function read(most: number): void {
    let count = 0
    for (const tool_id of unread) {
      if (count >= most) return
      count += 1
      unread.delete(tool_id)
      const tool = byId.get(tool_id)
      if (tool === undefined || !isFindable(tool)) index.remove(tool_id)
      else index.replace(searchable(tool))
    }
  }

  function readSoon(): void {
    if (isReading || unread.size === 0 || deps.soon === undefined) return
    isReading = true
    deps.soon(() => {
      isReading = false
      read(PIECE)
      readSoon()
    })
  }

  for (const server of Object.keys(deps.servers)) await refresh(server)
  return {
    tool: (tool_id) => byId.get(tool_id),
    tools: () => (everything ??= [...byId.values()]),
    refresh,
    onRefresh: (listener) => void listeners.add(listener),
    search(query, topK, counts) {
      read(Infinity)
      return index.search(query, topK, (tool_id) => {
        const tool = byId.get(tool_id)
        return tool !== undefined && counts(tool)
      })
    },
  }
}

/** Words that nobody has admitted are found by nobody, and do not count in how rare a word is. */
const isFindable = ({ row }: Tool): boolean => row.gone_at === undefined && row.admitted !== undefined

const isSameText = (before: Tool | undefined, tool: Tool): boolean =>
  before !== undefined && inForce(before.row).hash === inForce(tool.row).hash && isFindable(before) === isFindable(tool)

/** What search reads of a tool: the server's words, and the operator's above them. */
export function searchable({ row, title = inForce(row).definition.title, tags = [] }: Tool): SearchableTool {
  const { name, description, inputSchema } = inForce(row).definition
  return {
    id: row.tool_id,
    name,
    server: row.server,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tags,
    inputSchema,
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
function rejoin(before: Tool | undefined, { row, version }: StoredTool, settings: ServerSettings): Tool {
  const isKnown =
    before?.row.definition_hash === row.definition_hash && before.row.admitted?.hash === row.admitted?.hash
  return { ...(isKnown ? before : joinTool(row, settings)), row, version }
}

type StoredTool = Pick<Held<'tools'>, 'row' | 'version'>

async function rowsOf(shelves: Shelves, server: string): Promise<readonly StoredTool[]> {
  const rows: StoredTool[] = []
  let after: number | undefined
  for (;;) {
    const page = await shelves.list('tools', { server }, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    rows.push(...page.map(({ row, version }) => ({ row: withOneDefinition(row), version })))
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return rows
  }
}

/** What was admitted and what is listed are mostly the same words: kept once. */
const withOneDefinition = (row: ToolRow): ToolRow =>
  row.admitted?.hash === row.definition_hash
    ? { ...row, admitted: { ...row.admitted, definition: row.definition } }
    : row
