import type { EditPreviewAnswer } from '../contract/activity.ts'
import type { ApprovalPacket, ApprovalRow, ApprovalState, RevealedPacket } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import type { DelegationAnswer, DelegationTerms, RoutesAnswer } from '../contract/delegation.ts'
import type { Json } from '../contract/json.ts'
import type { Result } from '../contract/problems.ts'
import type { WhoIsAsked } from '../contract/routes.ts'
import { whoIsAsked } from './routes/seats.ts'
import type { MintDeps } from '../consents/mint-consent.ts'
import type { PasskeyDeps } from '../identity/passkeys.ts'
import type { ShownProof } from '../identity/prove-person.ts'
import type { Page, Searches } from '../ports/reads.ts'
import { decideApproval, type ApprovalDecision, type DecidedApproval, type DecideDeps } from './decide-approval.ts'
import { delegate, endDelegation, listDelegations, type DelegationDeps } from './delegations.ts'
import { editApproval, type EditDeps, type ShownAs } from './edit-approval.ts'
import { previewEdit } from './preview-edit.ts'
import { listApprovals, readApproval, type InboxPage } from './read-approvals.ts'
import { revealApproval, type RevealDeps } from './reveal-approval.ts'
import { showRoutes } from './show-routes.ts'
import { issueToken, redeemToken, type PresentedToken, type TokenDeps } from './tokens.ts'

export type ApprovalsDeps = { readonly searches: Searches } & RevealDeps &
  DecideDeps &
  EditDeps &
  TokenDeps &
  MintDeps &
  PasskeyDeps &
  DelegationDeps

export interface ApprovalsGate {
  /** Who is asked about a request, and how many approvals are missing. */
  asked(row: ApprovalRow): WhoIsAsked
  /** The active routes and groups. */
  routes(caller: Caller): Result<RoutesAnswer>
  delegate(caller: Caller, wanted: DelegationTerms, proof?: ShownProof): Promise<Result<DelegationAnswer>>
  delegations(caller: Caller): Promise<Result<readonly DelegationAnswer[]>>
  endDelegation(caller: Caller, delegation_id: string): Promise<Result<DelegationAnswer>>
  list(caller: Caller, state: ApprovalState | undefined, page: Page): Promise<InboxPage>
  read(caller: Caller, approval_id: string): Promise<Result<ApprovalPacket>>
  /** What redaction hides in a request; audited. */
  reveal(caller: Caller, approval_id: string): Promise<Result<RevealedPacket>>
  decide(caller: Caller, approval_id: string, decision: ApprovalDecision): Promise<Result<DecidedApproval>>
  edit(caller: Caller, approval_id: string, args: Json, shownAs?: ShownAs): Promise<Result<ApprovalRow>>
  /** How the gate would judge other inputs. */
  previewEdit(caller: Caller, approval_id: string, args: Json): Promise<Result<EditPreviewAnswer>>
  issueToken(caller: Caller, approval_id: string): Promise<Result<string>>
  redeemToken(caller: Caller, presented: PresentedToken): Promise<Result<ApprovalRow>>
}

export const bindApprovals = (deps: ApprovalsDeps): ApprovalsGate => ({
  asked: (row) => whoIsAsked(row, deps.routes.groups),
  routes: (caller) => showRoutes(deps, caller),
  delegate: (caller, wanted, proof = {}) => delegate(deps, caller, wanted, proof),
  delegations: (caller) => listDelegations(deps, caller),
  endDelegation: (caller, id) => endDelegation(deps, caller, id),
  list: (caller, state, page) => listApprovals(deps, caller, state, page),
  read: (caller, id) => readApproval(deps, caller, id),
  reveal: (caller, id) => revealApproval(deps, caller, id),
  decide: (caller, id, decision) => decideApproval(deps, caller, id, decision),
  edit: (caller, id, args, shownAs) => editApproval(deps, caller, id, args, shownAs),
  previewEdit: (caller, id, args) => previewEdit(deps, caller, id, args),
  issueToken: (caller, id) => issueToken(deps, caller, id),
  redeemToken: (caller, presented) => redeemToken(deps, caller, presented),
})
