import type { Caller } from '../contract/caller.ts'
import type { LiveCatalogue } from './catalogue.ts'
import type { Result } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import { type StandardSentences, standardOf, type SiblingDeps } from '../attempt/standard/rollback.ts'
import { downServers, type DownServer } from './down-servers.ts'
import { readCard, type Card, type CardPorts } from './read-card.ts'
import type { ServerReport } from './server-report.ts'
import { searchTools, type FoundTool, type SearchPorts } from './search-tools.ts'
import { smallerSurface } from './smaller-surface.ts'

export type ToolViewPorts = SearchPorts &
  CardPorts &
  SiblingDeps & {
    readonly catalogue: Pick<LiveCatalogue, 'ranker'>
    readonly serverReports: () => readonly ServerReport[]
    readonly firstListing: () => Promise<void>
  }

/** The tools as one caller sees them. */
export interface ToolViews {
  /** The tools for which the policy might not block every call of this caller; overseers see all. */
  tools(caller: Caller): readonly Tool[]
  /** The same, by id. */
  tool(caller: Caller, tool_id: string): Tool | undefined
  /** Finds only tools that `tools` lists and their servers offer. */
  search(caller: Caller, query: string, top_k?: number): Promise<Result<readonly FoundTool[]>>
  /** Set while search uses only words although a model for meaning is configured. */
  searchNotice(): string | undefined
  /** How a tool is executed: rollback, check and read-back, and what is missing. */
  standardOf(caller: Caller, tool: Tool): StandardSentences
  card(caller: Caller, tool_id: string, full: boolean): Result<Card>
  /** The servers that are not ready, as far as the caller may know about them. */
  down(caller: Caller): readonly DownServer[]
  /** Resolves when every server has listed its tools once or failed to, or a few seconds after the start. */
  firstListing(): Promise<void>
  /** Which of two ways to show the tools costs a model fewer tokens; `own` is the text of the search tools. */
  smallerSurface(caller: Caller, own: string): 'search' | 'passthrough'
}

export function openToolViews(deps: ToolViewPorts): ToolViews {
  const { visibleTools, catalogue } = deps
  return {
    tools: (caller) => visibleTools.tools(caller),
    tool: (caller, id) => visibleTools.tool(caller, id),
    async search(caller, query, top_k) {
      await deps.firstListing()
      return searchTools(deps, caller, query, top_k, { learns: true })
    },
    searchNotice: () => catalogue.ranker.notice?.(),
    standardOf: (caller, tool) => standardOf(deps, caller, tool),
    card: (caller, id, full) => readCard(deps, caller, id, full),
    down: (caller) => downServers(deps.serverReports(), visibleTools.tools(caller), catalogue.tools(), caller),
    firstListing: () => deps.firstListing(),
    smallerSurface: (caller, own) =>
      smallerSurface(
        own,
        visibleTools.tools(caller).flatMap(({ row }) => (row.admitted === undefined ? [] : [row.admitted.definition])),
      ),
  }
}
