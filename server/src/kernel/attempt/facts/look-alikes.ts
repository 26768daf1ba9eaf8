import type { Tool } from '../../contract/tool.ts'
import type { LookAlike } from '../../catalogue/look-alike.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import { settingsOf, type Judgement } from '../../decide/judging.ts'

const MOST_NAMED = 5

/**
 * Other servers' tools that this one can be mistaken for, except those the operator has accepted. The catalogue determines them when tools
 * are listed.
 */
export function lookAlikesOf(
  { catalogue, judgement }: { readonly catalogue: Catalogue; readonly judgement: Judgement },
  tool: Tool,
): readonly LookAlike[] {
  const all = catalogue.lookAlikes(tool.row.tool_id)
  if (all.length === 0) return all
  const known = settingsOf(judgement, tool)?.known_look_alikes ?? []
  return all.filter(({ tool_id }) => !known.includes(tool_id)).slice(0, MOST_NAMED)
}
