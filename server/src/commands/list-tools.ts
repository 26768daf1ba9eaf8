import type { Caller } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import { grantedTools } from '../core/identity/granted-tools.ts'
import type { Catalogue } from './ports.ts'

/** The tools that exist for a caller. */
export function listTools({ catalogue }: { readonly catalogue: Catalogue }, caller: Caller): readonly Tool[] {
  const isGranted = grantedTools(caller)
  return caller.grant === undefined ? catalogue.tools() : catalogue.tools().filter(({ row }) => isGranted(row.tool_id))
}
