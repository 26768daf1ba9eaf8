import type { ListingFinding } from '../../contract/tool-bounds.ts'
import type { Tool, ToolDefinition } from '../../contract/tool.ts'
import type { LookAlike } from '../../core/catalogue/look-alike.ts'

/** The tools as the gate knows them, even while their servers are down. */
export interface Catalogue {
  tool(tool_id: string): Tool | undefined
  tools(): readonly Tool[]
  /** Admitted tools of other servers that this one can be mistaken for. Precomputed: a lookup costs nothing. */
  lookAlikes(tool_id: string): readonly LookAlike[]
}

/** Called with what a connected server offers: at the first listing and whenever it changes. */
export type ToolsListed = (
  server: string,
  definitions: readonly ToolDefinition[],
  /** What was cut or left out of the list on the way. */
  findings?: readonly ListingFinding[],
) => Promise<void>
