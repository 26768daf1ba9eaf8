import type { ApprovalPacket, ApprovalRow } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import { count } from '../contract/framed-text.ts'
import { Bug, ok, problem, refuse, type Problem, type Result } from '../contract/problems.ts'
import { checkFactors, type Redemption } from './factors.ts'
import { needsPassphrase, mayDecide } from './may-decide.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import { claimsOf, onceKey, parseToken } from './token.ts'
import { approve, deny, isEnough, type TokenStrength } from './transitions.ts'
import { LONGEST_IN_MESSAGES } from './foldable-texts.ts'
import { auditOf } from '../attempt/call-changes.ts'
import { heldCallOf } from '../attempt/close-call.ts'
import { decisionChanges, refuseFolded, type DecidePorts } from './decide-approval.ts'
import { withStanding } from '../identity/standing-grants.ts'
import type { TokenKeys } from '../ports/keys.ts'
import type { Stored } from '../ports/reads.ts'
import type { Digest } from '../ports/runtime.ts'
import { refuseIfFromNode, refuseIfHubDecides } from './hub-decides.ts'
import { packetOf } from './packet-of.ts'
import { visibleApproval, type ApprovalReadPorts } from './read-approvals.ts'
import { refuseDecision } from './end-approval.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type TokenPorts = DecidePorts &
  ApprovalReadPorts & {
    readonly tokens: TokenKeys
    readonly digest: Digest
    readonly tokensCountAs: TokenStrength
  }

/**
 * Mints a token for the thread's user, outside the thread. Never for an agent: an agent could use any token it can read.
 * Renewable while the request is pending; each token has its own nonce and time, and is valid for the packet as it is now: after
 * a change of what is shown, a new one has to be minted.
 */
export async function issueToken(deps: TokenPorts, by: Caller, approval_id: string): Promise<Result<string>> {
  const allowed = by.kind === 'user' ? ok(undefined) : mayDecide(by)
  if (!allowed.ok) return allowed
  // Of people who decide nothing, only the thread's user sees it.
  const held = await visibleApproval(deps, by, approval_id)
  if (held === undefined) return refuse('approval.unknown', { approval_id })
  const elsewhere = refuseIfHubDecides(deps, held.row) ?? refuseIfFromNode(held.row)
  if (elsewhere !== undefined) return elsewhere
  const now = deps.clock()
  if (held.row.state !== 'pending') return refuse('approval.not_pending', { approval_id, state: held.row.state })
  if (held.row.expires_at <= now) return refuseDecision(deps, held, problem('approval.expired', { approval_id }))
  const packet = await packetOf(deps, held)
  const { strength, digest } = packet
  if (!isEnoughFor(deps, held.row, strength)) return refuse('approval.token_too_weak', { approval_id, strength })
  const unshown = refuseTooLong(packet)
  if (unshown !== undefined) return unshown
  const { row } = await heldCallOf(deps.tables, held.row)
  const entry = auditOf('token.issued', row, now, { actor: by.id })
  const noted = await deps.ledger.commit([{ kind: 'audit', entry }])
  if (noted !== 'committed') return refuseUnrecorded(noted)
  return ok(deps.tokens.mint(claimsOf(held.row, digest), now))
}

const isEnoughFor = ({ tokensCountAs }: TokenPorts, row: ApprovalRow, strength: ApprovalRow['strength']): boolean =>
  row.route?.group === undefined && !needsPassphrase(row) && isEnough(strength, tokensCountAs)

/** A token is redeemed in a message, which cannot unfold anything: what does not fit into one is approved on its page. */
function refuseTooLong({ approval_id, foldable, proposed_args }: ApprovalPacket): Result<never> | undefined {
  const folded = refuseFolded(approval_id, foldable)
  if (folded !== undefined || proposed_args.length <= LONGEST_IN_MESSAGES) return folded
  return refuse('approval.not_shown', { approval_id, places: count(proposed_args.length, 'character') })
}

/** Whether a token can decide a request, as it is shown now. */
export async function takesToken(deps: TokenPorts, approval_id: string): Promise<boolean> {
  const held = await deps.tables.row('approvals', approval_id)
  if (
    held === undefined ||
    refuseIfHubDecides(deps, held.row) !== undefined ||
    refuseIfFromNode(held.row) !== undefined
  )
    return false
  const packet = await packetOf(deps, held)
  return isEnoughFor(deps, held.row, packet.strength) && refuseTooLong(packet) === undefined
}

export type PresentedToken = {
  readonly approval_id: string
  readonly token: string
  readonly thread: string
  readonly says: 'approve' | 'deny'
  /** Of a denial. */
  readonly reason?: string
}

/**
 * The thread's user redeems the token. All seven factors are checked independently, and the nonce is inserted in the same commit
 * that changes the request: of a thousand racing redemptions one succeeds.
 */
export async function redeemToken(
  deps: TokenPorts,
  by: Caller,
  presented: PresentedToken,
): Promise<Result<ApprovalRow>> {
  const row = await deps.tables.row('approvals', presented.approval_id)
  // A token is worth nothing to a key that may not use the tool.
  const stored = row && grantedTools(by)(row.row.tool_id) ? row : undefined
  const found = stored && (await withStanding(deps.tables, stored))
  const packet = found && (await packetOf(deps, found))
  const held = found && packet && { ...found, row: { ...found.row, strength: packet.strength } }
  const redemption = await redemptionOf(deps, by, presented, held, packet?.digest)
  // Only somebody who may know of the request learns which factor failed; for others it does not exist.
  const isKnown = redemption.genuine || (await visibleApproval(deps, by, presented.approval_id)) !== undefined
  const checked = checkFactors(isKnown ? redemption : await redemptionOf(deps, by, presented, undefined))
  if (!checked.ok) return refused(deps, by, held, checked.problem)
  const token = parseToken(presented.token)
  if (held === undefined || packet === undefined || token === undefined)
    return refuse('approval.unknown', { approval_id: presented.approval_id })
  const elsewhere = refuseIfHubDecides(deps, held.row) ?? refuseIfFromNode(held.row)
  if (elsewhere !== undefined) return elsewhere
  const unshown = presented.says === 'approve' ? refuseTooLong(packet) : undefined
  if (unshown !== undefined) return unshown
  const now = deps.clock()
  const moved =
    presented.says === 'approve'
      ? approve(held.row, by, 'token', now, undefined, { tokens: deps.tokensCountAs })
      : deny(held.row, by, 'token', now, presented.reason)
  if (!moved.ok) return refuseDecision(deps, held, moved.problem)
  deps.probe('decision.before')
  const recorded = await deps.ledger.commit([
    { kind: 'once', key: onceKey(held.row, token), until: held.row.expires_at },
    ...(await decisionChanges(deps, held, moved.value, by, { how: 'token', digest: packet.digest })),
  ])
  deps.probe('decision.after')
  if (recorded === 'committed') return moved
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  return refuse('approval.used', { factor: 'single_use', factors: 'single_use', approval_id: presented.approval_id })
}

/**
 * A token that was presented where no session waits for it: in another thread, or in a room of approvers. Refused like any other that is redeemed in
 * the wrong session, and recorded. Returns why.
 */
export async function refuseToken(
  deps: TokenPorts,
  by: Caller,
  { approval_id, token }: Pick<PresentedToken, 'approval_id' | 'token'>,
): Promise<Problem> {
  const redeemed = await redeemToken(deps, by, { approval_id, token, thread: NO_SESSION, says: 'approve' })
  if (redeemed.ok) throw new Bug('no request belongs to the empty session')
  return redeemed.problem
}

/** No name of a session is empty (`isThreadName`). */
const NO_SESSION = ''

async function redemptionOf(
  deps: TokenPorts,
  by: Caller,
  presented: PresentedToken,
  held: Stored<'approvals'> | undefined,
  digest = '',
): Promise<Redemption> {
  const token = parseToken(presented.token)
  const call = held === undefined ? undefined : await heldCallOf(deps.tables, held.row)
  return {
    approval: held?.row,
    presented: { approval_id: presented.approval_id, token, thread: presented.thread, user: by.user },
    args_hash: call === undefined ? '' : deps.digest(call.row.canonical_args),
    genuine: held !== undefined && token !== undefined && deps.tokens.isGenuine(token, claimsOf(held.row, digest)),
    // A nonce is used in the commit that moves the request out of `pending`; the state shows it, and the insert enforces it.
    used: false,
    now: deps.clock(),
  }
}

/** A failed redemption is recorded: somebody may be guessing. */
async function refused(
  deps: TokenPorts,
  by: Caller,
  held: Stored<'approvals'> | undefined,
  why: Problem,
): Promise<Result<ApprovalRow>> {
  if (held !== undefined) {
    const { row } = await heldCallOf(deps.tables, held.row)
    const about = { code: why.code, factors: why.about['factors'] ?? '' }
    const entry = auditOf('token.refused', row, deps.clock(), { actor: by.id, about })
    await deps.ledger.commit([{ kind: 'audit', entry }])
  }
  return refuseDecision(deps, held, why)
}
