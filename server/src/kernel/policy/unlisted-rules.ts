import { sayUnlisted, unlistedTools } from './unlisted-tools.ts'
import type { Policy } from './policy.ts'
import { listedTools } from '../catalogue/listed-tools.ts'
import { listedIds } from '../text/nearest-tool.ts'
import type { Catalogue } from '../ports/catalogue.ts'

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
