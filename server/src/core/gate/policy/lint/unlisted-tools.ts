import { nearest } from '../../../../contract/nearest.ts'
import type { Match } from '../../../../contract/policy.ts'
import { serverWithin } from './covers.ts'

export type UnlistedTool = { readonly tool: string; readonly meant?: string }

/**
 * The tools that a rule names and no server lists, probably because they are misspelt. Patterns with `*` may be meant for tools to
 * come, and a server without listed tools may not be connected yet; a name of such a server counts only if it is close to a listed
 * one.
 */
export function unlistedTools(
  { tool: named = [] }: Pick<Match, 'tool'>,
  listed: ReadonlySet<string>,
): readonly UnlistedTool[] {
  return named
    .filter((tool) => !/[*?]/.test(tool) && !listed.has(tool))
    .flatMap((tool) => {
      const all = [...listed]
      const meant = nearest(tool, all)
      if (meant !== undefined) return [{ tool, meant }]
      return all.some((each) => serverWithin(each) === serverWithin(tool)) ? [{ tool }] : []
    })
}

export const sayUnlisted = ({ id }: { readonly id: string }, { tool, meant }: UnlistedTool): string =>
  `\`${id}\` names \`${tool}\`, which no tool server lists${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`
