import { nearest } from '../../../../contract/nearest.ts'
import type { Match } from '../../../../contract/policy.ts'
import { serverWithin } from './covers.ts'

export type UnlistedTool = { readonly tool: string; readonly meant?: string }

/**
 * The tools that a rule names and no server lists, probably because they are misspelt. Patterns with `*` may be meant for tools to
 * come, and a server without listed tools may not be connected yet; a name of such a server counts only if it is close to a listed
 * one.
 */
export function unlistedTools({ tool: named = [] }: Match, listed: readonly string[]): readonly UnlistedTool[] {
  const servers = new Set(listed.map(serverWithin))
  return named
    .filter((tool) => !/[*?]/.test(tool) && !listed.includes(tool))
    .flatMap((tool) => {
      const meant = nearest(tool, listed)
      if (meant !== undefined) return [{ tool, meant }]
      return servers.has(serverWithin(tool)) ? [{ tool }] : []
    })
}
