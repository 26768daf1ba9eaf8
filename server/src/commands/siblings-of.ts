import type { Tool } from '../contract/tool.ts'
import { toolIdOf } from '../core/catalogue/definition.ts'
import { describeStandard, type StandardSentences } from '../core/gate/standard/describe-standard.ts'
import type { Siblings } from '../core/gate/standard/rollback-of.ts'
import type { Catalogue, Digest } from './ports.ts'

export type SiblingDeps = { readonly catalogue: Catalogue; readonly digest: Digest }

/** The tools that a server offers now, by the names it gives them. */
export function siblingsOf({ catalogue, digest }: SiblingDeps, server: string): Siblings {
  return (name) => {
    const row = catalogue.tool(toolIdOf(server, name, digest))?.row
    return row === undefined || row.gone_at !== undefined ? undefined : row.tool_id
  }
}

/** How a tool is executed, as it was declared. */
export function standardOf(deps: SiblingDeps, tool: Tool): StandardSentences {
  return describeStandard(tool, siblingsOf(deps, tool.row.server))
}
