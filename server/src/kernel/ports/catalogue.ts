import type { ListingFault } from '../contract/tool-bounds.ts'
import type { Tool, ToolDefinition } from '../contract/tool.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'

/** The tools as the gate knows them, even while their servers are down. */
export interface Catalogue {
  tool(tool_id: string): Tool | undefined
  tools(): readonly Tool[]
  /** Admitted tools of other servers that this one can be mistaken for. Precomputed: a lookup costs nothing. */
  lookAlikes(tool_id: string): readonly LookAlike[]
}

/** Called with the tools of a connected server: at the first listing and whenever they change. */
export type ToolsListed = (
  server: string,
  definitions: readonly ToolDefinition[],
  /** What was cut from the list or left out. */
  findings?: readonly ListingFault[],
) => Promise<void>
