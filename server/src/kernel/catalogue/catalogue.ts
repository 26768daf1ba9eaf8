import type { Config } from '../contract/config.ts'
import type { ServerSettings } from '../contract/server-settings.ts'
import { boundDefinition } from '../contract/tool-bounds.ts'
import type { Tool, ToolRow } from '../contract/tool.ts'
import { joinTool } from './join-tool.ts'
import { createLookAlikeIndex } from './look-alike-index.ts'
import { rankByNames } from './rank-by-names.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { EffectsSource } from '../ports/effects-source.ts'
import type { Version } from '../ports/ledger.ts'
import type { Origin } from '../ports/notices.ts'
import type { RankedTool, Ranker, ToolQuery } from '../ports/ranker.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { YieldWhenDue } from '../ports/runtime.ts'

/** A row may be a megabyte, and reading one blocks the thread. */
const PAGE = 4

export type CataloguePorts = {
  readonly tables: Tables
  readonly servers: Config['servers']
  /** What is known about the effects of tools, beside the configuration and the definitions. */
  readonly effects?: EffectsSource
  /** By default tools are found by the words of their names. */
  readonly ranker?: (catalogue: Pick<Catalogue, 'tool' | 'tools'>) => Promise<Ranker>
  /** Yields to other work between two tools. Without it everything is done at once. */
  readonly yieldWhenDue?: YieldWhenDue
}

/** A row of the catalogue, with the version that the next write expects. */
export type KnownRow = { readonly row: ToolRow; readonly version: Version }

export type LiveCatalogue = Catalogue & {
  /** Reads a server's rows again after they were written here or elsewhere, these ones or all, and notifies listeners. */
  refresh(server: string, tool_ids?: readonly string[], origin?: Origin): Promise<void>
  /** The same for a part of a listing; the next `refresh` reports it. */
  take(server: string, tool_ids: readonly string[]): Promise<void>
  /** What is known about a server's tools, including removed ones. */
  known(server: string): ReadonlyMap<string, KnownRow>
  /** Called for every server whose tools changed, with the ids of those tools. */
  onRefresh(listener: (server: string, tool_ids: readonly string[], origin: Origin) => void): void
  /**
   * Joins the tools of new servers and of those whose settings changed; those of a server that is no longer configured are
   * removed.
   */
  reconfigured(servers: readonly string[]): Promise<void>
  /** The tools that match a query best, among those that are offered now and that `counts` accepts. */
  search(asked: ToolQuery): Promise<readonly RankedTool[]>
  readonly ranker: Pick<Ranker, 'notice' | 'executed'>
}

type Entry = KnownRow & { readonly tool: Tool }

/**
 * The tools of all configured servers, kept in memory. Rows of a server that is no longer configured are not tools; removed tools stay,
 * with `gone_at`, so that a call to one gets the right answer.
 * INVARIANT: a tool is stored together with its look-alikes, so no call has to search for them.
 * INVARIANT: a changed tool costs the work of one tool, whatever the size of the catalogue.
 */
export async function openCatalogue(deps: CataloguePorts): Promise<LiveCatalogue> {
  const { tables, effects = {}, ranker: openRanker = rankByNames } = deps
  const join = (row: ToolRow, settings: ServerSettings): Tool =>
    joinTool(row, settings, { infer: effects.infer, packOf: effects.packFor?.(settings) })
  const byServer = new Map<string, Map<string, Entry>>()
  const byId = new Map<string, Tool>()
  const listeners = new Set<Parameters<LiveCatalogue['onRefresh']>[0]>()
  const lookAlikes = createLookAlikeIndex()
  let everything: readonly Tool[] | undefined
  const isConfigured = (server: string) => Object.hasOwn(deps.servers, server)
  const tools = () => (everything ??= [...byId.values()].filter(({ row }) => isConfigured(row.server)))
  const ranker = await openRanker({ tool: (tool_id) => byId.get(tool_id), tools })
  const queues = new Map<string, Promise<void>>()
  /** Changed tools that were not reported to listeners yet, by server. */
  const unreported = new Map<string, Set<string>>()

  /** Returns whether something about the tool changed. */
  function put(settings: ServerSettings, held: KnownRow): boolean {
    const row = withinBounds(held.row)
    const entries = entriesOf(row.server)
    const before = entries.get(row.tool_id)
    if (before !== undefined && before.version === held.version) return false
    const tool = { ...rejoin(before?.tool, row, settings, join), row, version: held.version }
    entries.set(row.tool_id, { row, version: held.version, tool })
    lookAlikes.set(tool)
    byId.set(row.tool_id, tool)
    everything = undefined
    ranker.changed(before?.tool, tool)
    return before === undefined || !isSame(before.row, row)
  }

  /** The effects of a tool depend on the configuration too. */
  function rejoinAll(server: string): void {
    const settings = isConfigured(server) ? deps.servers[server] : undefined
    if (settings === undefined) return
    for (const [tool_id, { row, version, tool: before }] of entriesOf(server)) {
      const tool = { ...join(row, settings), row, version }
      entriesOf(server).set(tool_id, { row, version, tool })
      lookAlikes.set(tool)
      byId.set(tool_id, tool)
      ranker.changed(before, tool)
    }
  }

  function entriesOf(server: string): Map<string, Entry> {
    const entries = byServer.get(server) ?? new Map<string, Entry>()
    byServer.set(server, entries)
    return entries
  }

  function unreportedOf(server: string): Set<string> {
    const tools = unreported.get(server) ?? new Set<string>()
    unreported.set(server, tools)
    return tools
  }

  async function* rowsOf(server: string, tool_ids: readonly string[] | undefined): AsyncGenerator<KnownRow> {
    if (tool_ids === undefined) yield* allRows(tables, server)
    for (const tool_id of tool_ids ?? []) {
      const held = await tables.row('tools', tool_id)
      if (held?.row.server === server) yield held
    }
  }

  async function read(server: string, tool_ids: readonly string[] | undefined): Promise<void> {
    const settings = Object.hasOwn(deps.servers, server) ? deps.servers[server] : undefined
    if (settings === undefined) return
    if (!byServer.has(server)) unreportedOf(server)
    entriesOf(server)
    for await (const held of rowsOf(server, tool_ids)) {
      if (put(settings, held)) unreportedOf(server).add(held.row.tool_id)
      await deps.yieldWhenDue?.()
    }
    ranker.readSoon()
  }

  /** In sequence: two concurrent reads of one server could end in the wrong order. */
  function take(server: string, tool_ids?: readonly string[]): Promise<void> {
    const before = queues.get(server) ?? Promise.resolve()
    const reading = before.then(() => read(server, tool_ids))
    queues.set(
      server,
      reading.catch(() => undefined),
    )
    return reading
  }

  async function refresh(server: string, tool_ids?: readonly string[], origin: Origin = 'here'): Promise<void> {
    await take(server, tool_ids)
    const news = unreported.get(server)
    if (news === undefined) return
    unreported.delete(server)
    for (const listener of listeners) listener(server, [...news], origin)
  }

  await Promise.all(Object.keys(deps.servers).map((server) => refresh(server)))
  return {
    tool: (tool_id) => {
      const tool = byId.get(tool_id)
      return tool === undefined || !isConfigured(tool.row.server) ? undefined : tool
    },
    tools,
    lookAlikes: (tool_id) => {
      const all = lookAlikes.of(tool_id)
      return all.length === 0 ? all : all.filter((one) => isConfigured(byId.get(one.tool_id)?.row.server ?? ''))
    },
    async reconfigured(servers) {
      everything = undefined
      for (const server of servers) {
        rejoinAll(server)
        for (const tool_id of entriesOf(server).keys()) unreportedOf(server).add(tool_id)
        await refresh(server)
      }
    },
    known: (server) => byServer.get(server) ?? new Map(),
    refresh,
    take,
    onRefresh: (listener) => void listeners.add(listener),
    ranker,
    search: (asked) => ranker.rank({ ...asked, counts: (tool) => isConfigured(tool.row.server) && asked.counts(tool) }),
  }
}

/** A server that merely reconnected lists the same as before: that is not a change. */
const isSame = (before: ToolRow, row: ToolRow): boolean =>
  before.definition_hash === row.definition_hash &&
  before.gone_at === row.gone_at &&
  before.admitted?.hash === row.admitted?.hash

/** The effects of a tool follow from its definitions and the configuration; unchanged ones are not computed again. */
function rejoin(
  before: Tool | undefined,
  row: ToolRow,
  settings: ServerSettings,
  join: (row: ToolRow, settings: ServerSettings) => Tool,
): Tool {
  const isKnown =
    before?.row.definition_hash === row.definition_hash && before.row.admitted?.hash === row.admitted?.hash
  return isKnown ? before : join(row, settings)
}

async function* allRows(tables: Tables, server: string): AsyncGenerator<Stored<'tools'>> {
  let after: number | undefined
  for (;;) {
    const page = await tables.list('tools', { server }, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    yield* page
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return
  }
}

/**
 * A row that an earlier release stored may contain longer texts than are accepted now. If the admitted and the listed definition are equal,
 * one object is kept.
 */
function withinBounds(row: ToolRow): ToolRow {
  const definition = boundDefinition(row.definition) ?? bare(row)
  if (row.admitted === undefined) return { ...row, definition }
  const isOne = row.admitted.hash === row.definition_hash
  const admitted = isOne ? definition : (boundDefinition(row.admitted.definition) ?? bare(row))
  return { ...row, definition, admitted: { ...row.admitted, definition: admitted } }
}

/** Nothing of it can be shown; the next listing leaves it out. */
const bare = ({ definition: { name } }: ToolRow): ToolRow['definition'] => ({ name, inputSchema: { not: {} } })
