import type { Call } from '../../contract/call.ts'
import { CONSENT_LIMITS, type ConsentRow } from '../../contract/consent.ts'
import type { ConsentId } from '../../contract/ids.ts'
import { Bug } from '../../contract/problems.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { UnitsLeft } from '../consent-view.ts'
import { consentIn, consentNamed, consentUsed } from '../cover-with-consent.ts'
import { consentListsOf } from '../build-consent.ts'
import type { Facts } from '../../decide/facts.ts'
import { isAbout, isFor, type ConsentFact, type ConsentMoment } from '../match-consent.ts'
import type { Change } from '../../ports/ledger.ts'
import type { Accounts, Stored, Tables } from '../../ports/reads.ts'
import type { Digest } from '../../ports/runtime.ts'
import { asItStands, expectsKey } from '../../identity/standing-grants.ts'
import type { Judgement } from '../../decide/judging.ts'

export type ConsentFactPorts = {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly digest: Digest
  readonly judgement: Pick<Judgement, 'runConsents'>
  /** For a node: no consent replaces a decision of its hub. */
  readonly hub?: unknown
}

const MOST_NEAR = 3

/** The context in which a consent may apply: with the call's cost, and the consent that an earlier try of it has spent. */
export type Asking = ConsentMoment & { readonly cost: number; readonly spent?: ConsentId }

/**
 * The consents that match this call, with what is left of them; `near` are those for its caller and tool that do not. Undefined
 * if they cannot be read.
 */
export async function consentFacts(
  deps: ConsentFactPorts,
  call: Call,
  asking: Asking,
): Promise<(Required<Pick<Facts, 'consents' | 'near'>> & Pick<Facts, 'run_consent'>) | undefined> {
  if (deps.hub !== undefined) return { consents: [], near: [] }
  try {
    const listed = await plausibleConsents(deps, call, asking)
    const plausible = await Promise.all(
      listed.map(async (held) => ({ ...held, ...(await asItStands(deps.tables, held.row)) })),
    )
    const facts = (held: typeof plausible) => Promise.all(held.map((each) => factOf(deps, each, asking)))
    const near = plausible.filter(({ row }) => isFor(row, call) && !isAbout(row, call, asking)).slice(0, MOST_NEAR)
    const about = plausible.filter(({ row }) => isAbout(row, call, asking))
    const [consents, nearFacts] = await Promise.all([facts(about), facts(near)])
    return { consents, near: nearFacts, ...(await runConsentOf(deps, call, asking)) }
  } catch {
    return undefined
  }
}

/** Read again for each call, so that a revocation applies immediately. */
async function runConsentOf(deps: ConsentFactPorts, call: Call, asking: Asking): Promise<Pick<Facts, 'run_consent'>> {
  if (call.by_run?.consent === undefined) return {}
  for (const read of deps.judgement.runConsents) {
    const run_consent = await read(deps, call, asking)
    if (run_consent !== undefined) return { run_consent }
  }
  return {}
}

async function plausibleConsents(
  { tables }: ConsentFactPorts,
  call: Call,
  { spent }: Asking,
): Promise<Stored<'consents'>[]> {
  // Concurrent mints can exceed the limit slightly.
  const page = { limit: 2 * CONSENT_LIMITS.active, newest_first: true }
  const listed = await Promise.all(consentListsOf(call.caller).map((shelf) => tables.list('consents', { shelf }, page)))
  const earlier = spent === undefined ? undefined : await tables.row('consents', spent)
  const others = listed.flat().filter(({ row }) => row.consent_id !== spent)
  return earlier === undefined ? others : [earlier, ...others]
}

async function factOf(
  { accounts }: ConsentFactPorts,
  { row, version, key }: Pick<ConsentFact, 'row' | 'version' | 'key'>,
  asking: Asking,
): Promise<ConsentFact> {
  const left = await unitsLeft(accounts, row)
  const fact = { row, version, left, cost: asking.cost, ...(key === undefined ? {} : { key }) }
  return row.consent_id === asking.spent ? { ...fact, spent: true } : fact
}

/** The accounts a consent is spent from: calls one by one, and cost if it is limited. */
export const callsAccount = ({ consent_id }: ConsentRow) => `consent:${consent_id}`
export const costAccount = ({ consent_id }: ConsentRow) => `consent:${consent_id}/cost`

export async function unitsLeft(accounts: Accounts, row: ConsentRow): Promise<UnitsLeft> {
  const [calls = 0, cost = 0] = await Promise.all([
    accounts.left(callsAccount(row)),
    row.cost === undefined ? 0 : accounts.left(costAccount(row)),
  ])
  return row.cost === undefined ? { calls } : { calls, cost }
}

/**
 * What a call spends of the consent that allowed it, for the commit that marks the call `executing`.
 * INVARIANT: if a consent was revoked or used up since the decision, that commit is lost as a whole.
 */
export function consentChanges(verdict: Verdict, facts: Pick<Facts, 'consents' | 'run_consent'>): Change[] {
  const { run_consent: run } = facts
  if (verdict.effect === 'allow' && run !== undefined && run.consent_id === consentNamed(verdict))
    return [...run.expects]
  if (consentIn(verdict) === undefined) return []
  const consent = consentUsed(verdict, facts)
  if (consent === undefined) throw new Bug('a consent that lets a call through is one of the facts')
  const { row, version, key, cost, spent } = consent
  const changes: Change[] = [{ kind: 'expect', table: 'consents', id: row.consent_id, version }, ...expectsKey(key)]
  if (spent === true) return changes
  changes.push({ kind: 'spend', account: callsAccount(row), units: 1 })
  if (row.cost !== undefined) changes.push({ kind: 'spend', account: costAccount(row), units: cost })
  return changes
}
