import type { Caller } from '../contract/caller.ts'
import { CONSENT_LIMITS, type ConsentRow, type ConsentTerms } from '../contract/consent.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { consentState } from './consent-view.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import { CLOSED, buildConsent, type NewConsent } from './build-consent.ts'
import { matchesGlob, parseGlob } from '../policy/glob.ts'
import { nearestTool } from '../text/nearest-tool.ts'
import { callsAccount, costAccount, unitsLeft } from './facts/consent-facts.ts'
import type { PasskeyPorts } from '../identity/passkeys.ts'
import { isLostToProof, provePerson, type ShownProof } from '../identity/prove-person.ts'
import { asItStands } from '../identity/standing-grants.ts'
import type { HubDecidesPorts } from '../approvals/hub-decides.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Accounts, Tables } from '../ports/reads.ts'
import type { Clock, Digest, Ids } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type MintPorts = {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
}

export type MintAheadPorts = MintPorts &
  PasskeyPorts &
  HubDecidesPorts & { readonly catalogue: Pick<Catalogue, 'tools'> }

const TRIES = 8

/** Creates a consent. Anybody who may decide approvals may do this, with proof that it is them; an agent never. */
export async function mintConsent(
  deps: MintAheadPorts,
  by: Caller,
  terms: ConsentTerms,
  shown: ShownProof,
): Promise<Result<ConsentRow>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  if (deps.hub !== undefined) return refuse('hub.decides', { hub: deps.hub.where })
  const known = matchesSome(deps, terms)
  if (!known.ok) return known
  const proven = await provePerson(deps, by, shown)
  if (!proven.ok) return proven
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const minted = await mintChanges(deps, by, terms, { consent_id: deps.ids.consent(), now: deps.clock() })
    if (!minted.ok) return minted
    const changes = [...proven.value.changes, ...minted.value.changes]
    const recorded = await deps.ledger.commit(changes)
    if (recorded === 'committed') return ok(minted.value.row)
    if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
    if (isLostToProof(proven.value, changes, recorded)) return refuse('request.replayed')
  }
  return refuse('audit.unavailable')
}

/** A consent for a tool that does not exist would never cover a call, and nobody would know why. */
function matchesSome({ catalogue }: Pick<MintAheadPorts, 'catalogue'>, { what: { tool } }: ConsentTerms): Result<void> {
  const tools = catalogue.tools()
  const glob = parseGlob(tool)
  if (tools.some(({ row }) => matchesGlob(glob, row.tool_id))) return ok(undefined)
  const did_you_mean = nearestTool(tool, tools)
  return refuse('tool.unknown', { tool, ...(did_you_mean === undefined ? {} : { did_you_mean }) })
}

/** All changes for a new consent: its row, its units, its audit entry, and cleaning up its index key. */
export async function mintChanges(
  deps: Omit<MintPorts, 'ledger' | 'clock'>,
  by: Caller,
  terms: ConsentTerms,
  given: NewConsent,
): Promise<Result<{ readonly row: ConsentRow; readonly changes: readonly Change[] }>> {
  const built = buildConsent(terms, by, given)
  if (!built.ok) return built
  const row = built.value
  const tidied = await removeDeadConsents(deps, row.shelf, given.now)
  if (!tidied.ok) return tidied
  const changes: Change[] = [
    ...tidied.value,
    { kind: 'swap', table: 'consents', id: row.consent_id, from: 'absent', to: row },
    { kind: 'open', account: callsAccount(row), units: row.calls },
  ]
  if (row.cost !== undefined) changes.push({ kind: 'open', account: costAccount(row), units: row.cost })
  changes.push(consentAudit(deps, 'consent.minted', by, row, given.now))
  return ok({ row, changes })
}

/**
 * The consents under an index key are read for every call of their actor, so there must be few. Those that can never cover a call again are
 * removed when the next one is created, and a new one over the limit of active ones is rejected.
 */
async function removeDeadConsents(
  { tables, accounts }: Pick<MintPorts, 'tables' | 'accounts'>,
  shelf: string,
  now: number,
): Promise<Result<Change[]>> {
  const listed = await tables.list('consents', { shelf }, { limit: CONSENT_LIMITS.active })
  const changes: Change[] = []
  for (const { row: stored, version } of listed) {
    const { row } = await asItStands(tables, stored)
    if (consentState(row, await unitsLeft(accounts, row), now) === 'active') continue
    const to = { ...row, shelf: CLOSED }
    changes.push({ kind: 'swap', table: 'consents', id: row.consent_id, from: version, to })
  }
  const isFull = listed.length - changes.length >= CONSENT_LIMITS.active
  return isFull ? refuse('consent.too_many', { shelf, limit: String(CONSENT_LIMITS.active) }) : ok(changes)
}

/** An audit entry about a consent. The permitted arguments are included as a hash, because they can be private. */
export function consentAudit(
  { ids, digest }: Pick<MintPorts, 'ids' | 'digest'>,
  type: 'consent.minted' | 'consent.revoked',
  by: Caller,
  row: ConsentRow,
  at: number,
): Change {
  const { consent_id, actor, what, calls, cost, expires_at, from_approval } = row
  const subject: Record<string, string> = { consent: consent_id, tool: what.tool }
  if (from_approval !== undefined) subject['approval'] = from_approval
  const about = {
    actor,
    calls,
    ...(cost === undefined ? {} : { cost }),
    expires_at,
    args: what.args.map(({ path, op }) => `${path} ${op}`),
    args_hash: digest(JSON.stringify(what.args)),
  }
  return { kind: 'audit', entry: { at, type, actor: by.id, trace: ids.trace(), subject, about } }
}
