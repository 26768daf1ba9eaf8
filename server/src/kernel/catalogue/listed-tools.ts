import { listedIds } from '../text/nearest-tool.ts'
import { sayUnlisted, unlistedTools, type ListedTools } from '../policy/unlisted-tools.ts'
import type { Policy } from '../policy/policy.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import { nearestId, serverIn } from '../text/nearest-tool.ts'

/** More suggestions are not made: each compares many names, and a tool server decides how many there are. */
const MOST_SUGGESTED = 3

export function listedTools(ids: readonly string[]): ListedTools {
  const known = new Set(ids)
  let suggested = 0
  return {
    has: (id) => known.has(id),
    servers: new Set(ids.map(serverIn)),
    meantBy(id) {
      suggested += 1
      return suggested > MOST_SUGGESTED ? undefined : nearestId(id, ids)
    },
  }
}

/** What to tell the operator about rules that name a tool which no server lists. */
export function unlistedRules(
  { operator }: Policy,
  catalogue: Pick<Catalogue, 'tools'>,
): readonly { readonly says: string; readonly source: string }[] {
  const listed = listedTools(listedIds(catalogue.tools()))
  return operator.rules.flatMap(({ rule, source }) =>
    unlistedTools(rule.match, listed).map((found) => ({ says: sayUnlisted(rule, found), source })),
  )
}
