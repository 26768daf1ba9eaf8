import type { ApprovalRow, ApprovalState } from '../contract/approval.ts'
import type { ToolResult } from '../contract/call.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { MOVES } from './transitions.ts'
import { callerIdentity, type CallerNames } from '../contract/caller-identity.ts'
import type { Companion } from '../changes/companions.ts'
import type { Change } from '../ports/ledger.ts'
import type { Accounts } from '../ports/reads.ts'

/** How much one caller may have waiting for a decision at a time. */
export type PendingLimits = { readonly requests: number; readonly bytes: number }

/** The initial balance of every account. It is far larger than any limit: a limit is enforced as the balance that must remain, so it can be changed at any time. */
const FULL = 2 ** 50
const PREFIX = 'pending '

const accountsOf = (caller: CallerNames) => {
  const who = callerIdentity(caller)
  return { requests: `${PREFIX}requests ${who}`, bytes: `${PREFIX}bytes ${who}` }
}

/** The size of the parts of a request that its caller controls: the arguments, and the dry run's answer. */
export function bytesOf(canonical_args: string, ...previews: readonly (ToolResult | undefined)[]): number {
  let bytes = lengthInBytes(canonical_args)
  for (const preview of previews) if (preview !== undefined) bytes += lengthInBytes(JSON.stringify(preview))
  return bytes
}

const encoder = new TextEncoder()
const lengthInBytes = (text: string): number => encoder.encode(text).byteLength

/**
 * What one more request spends, for the commit that holds its call, or why it is one too many.
 * INVARIANT: if calls race for the last slot, the ledger lets one through; the others' commits are lost as a whole.
 */
export async function pendingChanges(
  accounts: Accounts,
  limits: PendingLimits,
  caller: CallerNames,
  bytes: number,
): Promise<Result<readonly Change[]>> {
  const account = accountsOf(caller)
  const [requestsLeft, bytesLeft] = await Promise.all([accounts.left(account.requests), accounts.left(account.bytes)])
  const pending = { requests: FULL - (requestsLeft ?? FULL), bytes: FULL - (bytesLeft ?? FULL) }
  if (pending.requests + 1 > limits.requests || pending.bytes + bytes > limits.bytes)
    return refuse('approval.too_many_pending', {
      pending: String(pending.requests),
      limit: String(limits.requests),
      pending_bytes: String(pending.bytes),
      limit_bytes: String(limits.bytes),
      bytes: String(bytes),
    })
  return ok([
    ...(requestsLeft === undefined ? [open(account.requests)] : []),
    ...(bytesLeft === undefined ? [open(account.bytes)] : []),
    { kind: 'spend', account: account.requests, units: 1, least: FULL - limits.requests },
    { kind: 'spend', account: account.bytes, units: bytes, least: FULL - limits.bytes },
  ])
}

const open = (account: string): Change => ({ kind: 'open', account, units: FULL })

/** For a request that replaces another one of the same caller: an approver's edit is never one too many. */
export function movedChanges(caller: CallerNames, bytes: number): readonly Change[] {
  const account = accountsOf(caller)
  return [
    { kind: 'spend', account: account.requests, units: 1 },
    { kind: 'spend', account: account.bytes, units: bytes },
  ]
}

const NO_LONGER_PENDING: ReadonlySet<ApprovalState> = new Set(
  Object.values(MOVES)
    .filter(({ from }) => from === 'pending')
    .map(({ to }) => to),
)

/**
 * A request that is no longer pending returns what it spent of its caller's limits.
 * INVARIANT: the units are returned once, in the commit that changes the request, however it ends (decided, edited, expired, withdrawn).
 */
export const returnedUnits: Companion = {
  add: (changes) => (changes.some(isOfApproval) ? changes.flatMap(returnedBy) : NOTHING),
  stamp: withoutCount,
}

const isOfApproval = (change: Change): boolean => change.kind === 'swap' && change.table === 'approvals'

function countIn(change: Change): ApprovalRow | undefined {
  if (change.kind !== 'swap' || change.table !== 'approvals' || change.from === 'absent') return undefined
  return NO_LONGER_PENDING.has(change.to.state) ? change.to : undefined
}

function returnedBy(change: Change): Change[] {
  const row = countIn(change)
  if (row?.counted === undefined) return []
  const account = accountsOf(row.caller)
  return [
    { kind: 'spend', account: account.requests, units: -1 },
    { kind: 'spend', account: account.bytes, units: -row.counted.bytes },
  ]
}

function withoutCount(change: Change): Change {
  const row = countIn(change)
  if (row?.counted === undefined || change.kind !== 'swap' || change.table !== 'approvals') return change
  const { counted: _, ...to } = row
  return { ...change, to }
}

const NOTHING: readonly Change[] = []
