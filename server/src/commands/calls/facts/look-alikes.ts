import type { Tool } from '../../../contract/tool.ts'
import { findLookAlikes, type LookAlike } from '../../../core/catalogue/look-alike.ts'
import type { Catalogue } from '../../ports.ts'
import { settingsOf, type Judgement } from './load-judgement.ts'

/** One answer per catalogue: it hands out the same list until a tool changes. */
const found = new WeakMap<readonly Tool[], ReadonlyMap<string, readonly LookAlike[]>>()

/** Other servers' tools that this one can be taken for, without those the operator knows of. */
export function lookAlikesOf(
  { catalogue, judgement }: { readonly catalogue: Catalogue; readonly judgement: Judgement },
  tool: Tool,
): readonly LookAlike[] {
  const tools = catalogue.tools()
  const all = found.get(tools) ?? findLookAlikes(tools)
  found.set(tools, all)
  const known = settingsOf(judgement, tool)?.known_look_alikes ?? []
  return (all.get(tool.row.tool_id) ?? []).filter(({ tool_id }) => !known.includes(tool_id))
}
