import type { CallSummary, ConsentPreviewAnswer } from '../contract/activity.ts'
import type { Caller } from '../contract/caller.ts'
import type { ConsentRow, ConsentTerms, Remember } from '../contract/consent.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { mayBeAsked, type AskedPeoplePorts } from '../approvals/asked-people.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import { isCoverable } from './cover-with-consent.ts'
import { buildConsent, termsToRemember } from './build-consent.ts'
import { isAbout } from './match-consent.ts'
import { summariseCall, type SummaryDeps } from '../attempt/summarise-call.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Stored, Searches, Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import type { Judgement } from '../decide/judging.ts'

export type ConsentPreviewPorts = AskedPeoplePorts &
  SummaryDeps & {
    readonly tables: Tables
    readonly searches: Searches
    readonly catalogue: Catalogue
    readonly clock: Clock
    readonly ids: Ids
    readonly judgement: Pick<Judgement, 'deciders'>
  }

const WEEK_MS = 604_800_000
const MOST_LOOKED_AT = 5_000
const AT_ONCE = 200
const MOST_EXAMPLES = 5

/** How many held calls of the last week these terms would have covered. */
export async function previewConsent(
  deps: ConsentPreviewPorts,
  by: Caller,
  terms: ConsentTerms,
): Promise<Result<ConsentPreviewAnswer>> {
  const now = deps.clock()
  const drawn = buildConsent(terms, by, { consent_id: deps.ids.consent(), now })
  if (!drawn.ok) return drawn
  const since = now - WEEK_MS
  const tool = /[*?]/.test(terms.what.tool) ? {} : { tool_id: terms.what.tool }
  const covered: Stored<'calls'>[] = []
  let looked_at = 0
  let after: number | undefined
  do {
    const page = { limit: AT_ONCE, newest_first: true, ...(after === undefined ? {} : { after }) }
    const found = await deps.searches.search('calls', { ...tool, since }, page)
    covered.push(...found.items.filter((held) => wouldCover(deps, drawn.value, held)))
    looked_at += found.items.length
    after = found.next
  } while (after !== undefined && looked_at < MOST_LOOKED_AT)
  const examples = await Promise.all(
    covered
      .slice(0, MOST_EXAMPLES)
      .map(async ({ row }): Promise<CallSummary> => (await summariseCall(deps, row)).summary),
  )
  const count = Math.min(covered.length, terms.calls)
  return ok({ since, until: now, covered: count, looked_at, complete: after === undefined, examples })
}

/** The same for what would be remembered with an approval. */
export async function previewRemember(
  deps: ConsentPreviewPorts,
  by: Caller,
  approval_id: string,
  remember: Remember,
): Promise<Result<ConsentPreviewAnswer>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) return refuse('approval.unknown', { approval_id })
  const hearing = await mayBeAsked(deps, by, held.row)
  if (!hearing.ok) return hearing
  const terms = termsToRemember(held.row, remember, deps.judgement.deciders)
  return terms.ok ? previewConsent(deps, by, terms.value) : terms
}

/** Judged by the evidence recorded at the time: calls that no consent could cover are not counted. */
function wouldCover(
  { catalogue, judgement }: ConsentPreviewPorts,
  consent: ConsentRow,
  { row }: Stored<'calls'>,
): boolean {
  const tool = catalogue.tool(row.tool_id)
  if (tool === undefined || row.expired_at !== undefined || !isCoverable(row.verdict, judgement.deciders)) return false
  const lane = row.by_run?.lane
  // As if it had been given then: only its subject is compared, not its time.
  const then = { ...consent, minted_at: row.received_at, expires_at: row.received_at + 1 }
  return isAbout(then, row, { now: row.received_at, tool, ...(lane === undefined ? {} : { lane }) })
}
