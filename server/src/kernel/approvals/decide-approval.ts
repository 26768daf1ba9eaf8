import type { ApprovalPacket, ApprovalRow, Decision } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import type { ConsentRow, Remember } from '../contract/consent.ts'
import { count } from '../contract/framed-text.ts'
import { ok, problem, refuse, type Result } from '../contract/problems.ts'
import { confirmOf, isTyped } from '../contract/confirm.ts'
import { quoted, visibleText } from '../contract/visible-text.ts'
import { approve, deny, type How } from './transitions.ts'
import { needsPassphrase } from './may-decide.ts'
import { termsToRemember } from '../consents/build-consent.ts'
import { auditOf } from '../attempt/call-changes.ts'
import { approvalMoved, closeCall, heldCallOf } from '../attempt/close-call.ts'
import { mintChanges, type MintPorts } from '../consents/mint-consent.ts'
import type { PasskeyPorts, ShownPasskey } from '../identity/passkeys.ts'
import { provePerson } from '../identity/prove-person.ts'
import { withStanding } from '../identity/standing-grants.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock, Probe } from '../ports/runtime.ts'
import type { ApprovalRoutes } from './routes/routes.ts'
import { peopleNeeded, type AskedMembers } from './routes/seats.ts'
import { expectsDelegation, mayBeAsked, restingOn } from './asked-people.ts'
import { refuseIfFromNode, refuseIfHubDecides, type HubDecidesPorts } from './hub-decides.ts'
import { packetOf } from './packet-of.ts'
import type { ApprovalReadPorts } from './read-approvals.ts'
import { refuseDecision } from './end-approval.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Judgement } from '../decide/judging.ts'

export type DecidePorts = HubDecidesPorts & {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly clock: Clock
  readonly probe: Probe
  readonly judgement: Pick<Judgement, 'scanner' | 'deciders'>
  readonly routes: ApprovalRoutes
}

/**
 * `digest` and `version`: of the packet that was shown to the approver. `remember`: also creates a consent, within these limits.
 * `unfolded`: the ids of the texts that the packet lists as foldable, each shown whole. `typed` and `passphrase`: for an approval that is
 * more than simple.
 */
export type ApprovalDecision =
  | {
      readonly says: 'approve'
      readonly digest: string
      readonly version?: number
      readonly unfolded?: readonly string[]
      readonly reason?: string
      readonly remember?: Remember
      readonly typed?: string
      readonly passphrase?: string
      readonly passkey?: ShownPasskey
    }
  | { readonly says: 'deny'; readonly reason?: string }

/** The request as it is now, and the consent that was created with it. */
export type DecidedApproval = ApprovalRow & { readonly consent?: ConsentRow }

const TRIES = 8

/**
 * A person's approval or denial, by role. It changes the request and wakes the call; it executes nothing.
 * INVARIANT: the first decision wins (for two people: the first of each), because the row's version changes once.
 */
export async function decideApproval(
  deps: DecidePorts & ApprovalReadPorts & MintPorts & PasskeyPorts,
  by: Caller,
  approval_id: string,
  decision: ApprovalDecision,
  /** Further changes that must be new: a request that was already processed decides nothing. */
  also: readonly Change[] = [],
): Promise<Result<DecidedApproval>> {
  let how: Awaited<ReturnType<typeof proofFor>> | undefined
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stored = await deps.tables.row('approvals', approval_id)
    if (stored === undefined) return refuse('approval.unknown', { approval_id })
    const found = await withStanding(deps.tables, stored)
    const elsewhere = refuseIfHubDecides(deps, found.row)
    if (elsewhere !== undefined) return elsewhere
    const approver = await mayBeAsked(deps, by, found.row)
    if (!approver.ok) return approver
    const { asked, substitute } = approver.value
    const packet = await packetOf(deps, found)
    const { digest, strength, foldable } = packet
    const isShown =
      decision.says === 'deny' ||
      (decision.digest === digest &&
        (decision.version === undefined || attempt > 0 || decision.version === found.version))
    const held = { ...found, row: { ...found.row, strength } }
    const move = decision.says === 'approve' ? approve : deny
    const moved = move(held.row, by, 'role', deps.clock(), decision.reason, { asked })
    if (!moved.ok) return refuseDecision(deps, held, moved.problem)
    // Only what was shown can be decided.
    if (!isShown) return refuse('approval.changed', { approval_id })
    const folded = decision.says === 'deny' ? undefined : refuseFolded(approval_id, foldable, decision.unfolded)
    if (folded !== undefined) return folded
    // One approval never covers a second request: each names its own recipient, amount, file or command.
    const isNamed = decision.says === 'deny' || strength === 'simple' || isTyped(confirmOf(packet), decision.typed)
    if (!isNamed) return refuse('approval.typed_needed', { approval_id })
    const proven = how ?? (await proofFor(deps, held.row, by, decision, digest))
    if (!proven.ok) return proven
    how = proven
    const to = withProof(restingOn(moved.value, by, substitute), proven.value.by)
    const remembered = await rememberChanges(deps, held.row, by, decision, asked)
    if (!remembered.ok) return remembered
    const { consent, changes } = remembered.value
    const decided = await decisionChanges(deps, held, to, by, { how: 'role', digest, unfolded: foldable.length })
    deps.probe('decision.before')
    const first = [...also, ...proven.value.changes]
    const recorded = await deps.ledger.commit([
      ...first,
      ...expectsDelegation(by.user, to.decisions.at(-1)?.for, substitute),
      ...decided,
      ...changes,
    ])
    deps.probe('decision.after')
    if (recorded === 'committed') return ok({ ...to, ...consent })
    if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
    if (recorded.lost < first.length) return refuse('request.replayed')
  }
  return refuse('approval.not_pending', { approval_id })
}

/** INVARIANT: nothing is approved while a part of it was folded, on whatever channel. */
export function refuseFolded(
  approval_id: string,
  foldable: ApprovalPacket['foldable'],
  unfolded: readonly string[] = [],
): Result<never> | undefined {
  const folded = foldable.filter(({ id }) => !unfolded.includes(id))
  const places = folded.map(({ at, length }) => `${quoted(at)} (${count(length, 'character')})`).join(', ')
  return folded.length === 0 ? undefined : refuse('approval.not_shown', { approval_id, places })
}

type Proof = { readonly by: Pick<Decision, 'passphrase' | 'passkey'>; readonly changes: readonly Change[] }

/** A denial needs no proof. A consent covers strong asks too, so remembering is never simple. */
async function proofFor(
  deps: PasskeyPorts,
  row: ApprovalRow,
  by: Caller,
  decision: ApprovalDecision,
  digest: string,
): Promise<Result<Proof>> {
  const isSimple = decision.says === 'deny' || (row.strength === 'simple' && decision.remember === undefined)
  if (isSimple) return ok({ by: {}, changes: [] })
  const { approval_id } = row
  const passkey = decision.passkey && { ...decision.passkey, about: { approval_id, digest } }
  const asked = needsPassphrase(row) ? ({ ...deps, strong: 'passphrase' } as const) : deps
  const proven = await provePerson(asked, by, { passphrase: decision.passphrase, passkey })
  if (!proven.ok) return proven
  const { changes } = proven.value
  if (proven.value.passkey !== undefined) return ok({ by: { passkey: proven.value.passkey }, changes })
  return ok({ by: proven.value.by === 'passphrase' ? { passphrase: true } : {}, changes })
}

function withProof(row: ApprovalRow, proof: Proof['by']): ApprovalRow {
  return { ...row, decisions: row.decisions.map((one, at, all) => (at < all.length - 1 ? one : { ...one, ...proof })) }
}

type Remembered = { readonly consent: { readonly consent?: ConsentRow }; readonly changes: readonly Change[] }

async function rememberChanges(
  deps: MintPorts & Pick<DecidePorts, 'judgement'>,
  approval: ApprovalRow,
  by: Caller,
  decision: ApprovalDecision,
  { members }: AskedMembers,
): Promise<Result<Remembered>> {
  if (decision.says === 'deny' || decision.remember === undefined) return ok({ consent: {}, changes: [] })
  // A consent of this gate never covers a node's calls.
  const elsewhere = refuseIfFromNode(approval)
  if (elsewhere !== undefined) return elsewhere
  // A substitute decides about one call, and cannot give a consent.
  if (members !== undefined && !members.has(by.user))
    return refuse('consent.not_rememberable', { approval_id: approval.approval_id, rules: approval.route?.id ?? '' })
  const terms = termsToRemember(approval, decision.remember, deps.judgement.deciders)
  if (!terms.ok) return terms
  const drawn = { consent_id: deps.ids.consent(), now: deps.clock(), from_approval: approval.approval_id }
  const minted = await mintChanges(deps, by, terms.value, drawn)
  return minted.ok ? ok({ consent: { consent: minted.value.row }, changes: minted.value.changes }) : minted
}

/** All changes of a decision, whichever of the two ways it was made. */
export async function decisionChanges(
  deps: DecidePorts,
  held: Stored<'approvals'>,
  to: ApprovalRow,
  by: Caller,
  /** `digest`: of the packet that the request shows now. `unfolded`: how many of its texts the approver had to unfold. */
  { how, digest, unfolded = 0 }: { readonly how: How; readonly digest: string; readonly unfolded?: number },
): Promise<Change[]> {
  const now = deps.clock()
  const call = await heldCallOf(deps.tables, to)
  if (to.state === 'denied') {
    const why = problem('approval.denied', { approval_id: to.approval_id, ...(await reasonIn(deps, to)) })
    return closeCall({ held, to }, call, why, by.id, now)
  }
  const isApproved = to.state === 'approved'
  const event = isApproved ? { type: 'approval.approved', approval_id: to.approval_id } : undefined
  const type = isApproved ? 'approval.approved' : 'approval.seconded'
  return [
    ...approvalMoved(held, to, event),
    {
      kind: 'audit',
      entry: auditOf(type, call.row, now, {
        actor: by.id,
        about: {
          how,
          strength: to.strength,
          digest,
          ...(unfolded === 0 ? {} : { unfolded }),
          ...proofIn(to),
          ...placeIn(to),
        },
      }),
    },
  ]
}

/** A denial's reason is sent to the agent: without secrets, in one line. */
async function reasonIn({ judgement }: DecidePorts, { decisions }: ApprovalRow): Promise<{ readonly reason?: string }> {
  const reason = decisions.at(-1)?.reason
  return reason === undefined || reason === ''
    ? {}
    : { reason: visibleText(await judgement.scanner.redact(reason, 'shown')) }
}

/** In whose place the decision was made, and how many of how many approvals that makes. */
function placeIn(to: ApprovalRow): Readonly<Record<string, string | number>> {
  const last = to.decisions.at(-1)
  return {
    ...(last?.for === undefined ? {} : { for: last.for }),
    ...(to.route === undefined ? {} : { route: to.route.id, approvals: to.decisions.length, needed: peopleNeeded(to) }),
  }
}

function proofIn({ decisions }: ApprovalRow): Readonly<Record<string, boolean>> {
  const { passphrase, passkey } = decisions.at(-1) ?? {}
  return { ...(passphrase === true ? { passphrase: true } : {}), ...(passkey === undefined ? {} : { passkey: true }) }
}
