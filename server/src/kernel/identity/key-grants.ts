import { isoTime } from '../text/iso-time.ts'
import type { ApprovalRow, ApprovalState } from '../contract/approval.ts'
import type { CredentialRow, KeyGrant } from '../contract/caller.ts'
import type { KeyId } from '../contract/ids.ts'
import { visibleText } from '../contract/visible-text.ts'
import { consentState } from '../consents/consent-view.ts'
import { DELEGATION, type Delegation } from '../approvals/delegation.ts'
import { unitsLeft } from '../consents/facts/consent-facts.ts'
import { everyRow } from '../changes/every-row.ts'
import type { TableEntry } from '../changes/table-entry.ts'
import type { Accounts, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { isLiveLogin } from './logins.ts'
import { successorOf } from './successor.ts'

export type KeyGrantPorts = {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly clock: Clock
  readonly tableEntries: readonly TableEntry[]
}

/** Requests that somebody approved and that are not executed yet. */
const OPEN: readonly ApprovalState[] = ['pending', 'approved']

/**
 * What goes back to a key: what was granted or half-decided with it, what waits for a decision on its behalf, its logins, and the keys
 * that were created with it. `ends`: with its revocation.
 */
export async function keyGrants(
  deps: KeyGrantPorts,
  row: CredentialRow,
  isKept: boolean,
): Promise<readonly KeyGrant[]> {
  const { key_id } = row
  const found = await Promise.all([
    consentsOf(deps, key_id, isKept),
    guestGrantsOf(deps, key_id, isKept),
    delegationsOf(deps, key_id, isKept),
    requestsOf(deps, row, isKept),
    loginsOf(deps, row),
    keysOf(deps, key_id),
  ])
  return found.flat()
}

async function consentsOf(deps: KeyGrantPorts, key_id: KeyId, isKept: boolean): Promise<KeyGrant[]> {
  const items: KeyGrant[] = []
  for await (const { row } of everyRow(deps.tables, 'consents')) {
    if (row.minted_key !== key_id) continue
    const left = await unitsLeft(deps.accounts, row)
    if (consentState(row, left, deps.clock()) !== 'active') continue
    const whose = row.user === undefined ? row.actor : `${row.actor} of ${row.user}`
    const says = visibleText(`${row.what.tool} for ${whose}, ${left.calls} of ${row.calls} calls left`)
    items.push({ what: 'consent', id: row.consent_id, says, ends: !isKept })
  }
  return items
}

async function guestGrantsOf(deps: KeyGrantPorts, key_id: KeyId, isKept: boolean): Promise<KeyGrant[]> {
  const items: KeyGrant[] = []
  for (const { table, grantOf } of deps.tableEntries) {
    if (grantOf === undefined) continue
    for await (const { row } of everyRow(deps.tables, table)) {
      const grant = grantOf(row, key_id, deps.clock())
      if (grant !== undefined) items.push({ ...grant, ends: !isKept })
    }
  }
  return items
}

async function delegationsOf(deps: KeyGrantPorts, key_id: KeyId, isKept: boolean): Promise<KeyGrant[]> {
  const items: KeyGrant[] = []
  for await (const { row } of everyRow(deps.tables, 'runs', { kind: DELEGATION })) {
    // Only the command for delegations writes runs of this kind.
    const { from, to, until, key } = row.state as Delegation
    if (row.status !== 'waiting' || key !== key_id || until <= deps.clock()) continue
    items.push({ what: 'delegation', id: row.run_id, says: visibleText(`from ${from} to ${to}`), ends: !isKept })
  }
  return items
}

/** Approvals of requests that are still open, and requests of the key itself that wait for a decision. */
async function requestsOf(deps: KeyGrantPorts, key: CredentialRow, isKept: boolean): Promise<KeyGrant[]> {
  const items: KeyGrant[] = []
  const successor = await successorOf(deps, { ...key, revoked_at: key.revoked_at ?? deps.clock() })
  for (const state of OPEN)
    for await (const { row } of everyRow(deps.tables, 'approvals', { state })) {
      if (row.expires_at <= deps.clock()) continue
      const asked = visibleText(`${row.tool_id}, asked by ${row.caller.id} of ${row.caller.user}`)
      if (restsOn(row, key.key_id)) items.push({ what: 'approval', id: row.approval_id, says: asked, ends: !isKept })
      if (row.caller.credential?.key !== key.key_id) continue
      const says = successor === undefined ? asked : `${asked}; goes on with ${successor.row.key_id}`
      items.push({ what: 'held_call', id: row.call_id, says, ends: successor === undefined })
    }
  return items
}

const restsOn = ({ decisions }: ApprovalRow, key_id: KeyId): boolean =>
  decisions.some(({ says, keys }) => says === 'approve' && keys?.includes(key_id) === true)

async function loginsOf(deps: KeyGrantPorts, { key_id, caller }: CredentialRow): Promise<KeyGrant[]> {
  const items: KeyGrant[] = []
  for await (const { row } of everyRow(deps.tables, 'logins', { user: caller.user })) {
    if (row.caller.credential?.key !== key_id || !isLiveLogin(row, deps.clock())) continue
    const says = `logged in since ${isoTime(row.created_at)}`
    items.push({ what: 'login', id: row.login_id.slice(0, 16), says, ends: true })
  }
  return items
}

/** Often the first admin key created all others, so they stay; whoever revokes a stolen one sees what it left behind. */
async function keysOf(deps: KeyGrantPorts, key_id: KeyId): Promise<KeyGrant[]> {
  const items: KeyGrant[] = []
  for await (const { row } of everyRow(deps.tables, 'credentials')) {
    const isOver = row.revoked_at !== undefined || (row.expires_at ?? Infinity) <= deps.clock()
    if (row.created_with !== key_id || isOver) continue
    items.push({ what: 'key', id: row.key_id, says: `${row.caller.id} of ${row.caller.user}`, ends: false })
  }
  return items
}
