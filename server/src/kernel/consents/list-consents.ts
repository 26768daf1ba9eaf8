import { DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import type { ConsentRow, ConsentView } from '../contract/consent.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import { consentView } from './consent-view.ts'
import { unitsLeft } from './facts/consent-facts.ts'
import { asItStands } from '../identity/standing-grants.ts'
import type { Accounts, Page, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'

export type ConsentReadPorts = { readonly tables: Tables; readonly accounts: Accounts; readonly clock: Clock }

export type ConsentPage = { readonly items: readonly ConsentView[]; readonly next?: number }

/**
 * People who can give consents see all of them, other people those given for their own name, for tools that their key grants. Agents see
 * none.
 */
function maySee(caller: Caller, { actor, what }: ConsentRow): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  return caller.kind === 'user' && actor === `user:${caller.user}` && grantedTools(caller)(what.tool)
}

/** The consents with what is left of each, newest first. */
export async function listConsents(deps: ConsentReadPorts, caller: Caller, page: Page): Promise<ConsentPage> {
  const listed = await deps.tables.list('consents', {}, { ...page, newest_first: true })
  const now = deps.clock()
  const seen = listed.filter(({ row }) => maySee(caller, row))
  const items = await Promise.all(
    seen.map(async (held) => {
      const { row } = await asItStands(deps.tables, held.row)
      return consentView(row, await unitsLeft(deps.accounts, row), now)
    }),
  )
  const last = listed.length === page.limit ? listed.at(-1) : undefined
  return { items, ...(last === undefined ? {} : { next: last.cursor }) }
}
