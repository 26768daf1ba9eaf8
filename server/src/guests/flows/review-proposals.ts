import { ProposalId } from './ids.ts'
import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { ProposalState, type DecideProposalBody, type EvaluateBody, type ProposalView } from './flows.ts'
import type { ProposalRow } from './flow-rows.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { proposalListing } from './flow-listings.ts'
import { approve, discard, evaluate, mayReview } from './proposal-moves.ts'
import { withReview } from './run-moves.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import {
  checkEtag,
  isoOf,
  sees,
  visibilityOf,
  swapFlow,
  withHistory,
  type FlowPorts,
  type HeldProposal,
} from './flow-access.ts'
import { proposalView } from './flow-views.ts'
import { listMerged } from './read-flow-runs.ts'
import { refuse } from './problems.ts'

export type ProposalsAsked = {
  readonly state?: string
  readonly run_id?: string
  readonly vault_id?: string
  readonly limit: number
  readonly after?: number
}
export type ProposalsPage = { readonly items: readonly ProposalView[]; readonly next?: number }

/** Newest first; those of one run if it is named. */
export async function listProposals(
  deps: FlowPorts,
  caller: Caller,
  asked: ProposalsAsked,
): Promise<Result<ProposalsPage>> {
  const visibility = visibilityOf(deps, caller, asked.vault_id)
  if (!visibility.ok) return visibility
  const state = ProposalState.safeParse(asked.state).data
  if (asked.state !== undefined && state === undefined)
    return refuse('request.invalid', { paths: `state: one of ${ProposalState.options.join(', ')}` })
  const page = { limit: asked.limit, ...(asked.after === undefined ? {} : { cursor: asked.after }) }
  const found = await listMerged(deps, visibility.value, page, (vault, scope) => {
    return state === undefined
      ? { shelf: proposalListing(vault, scope) }
      : { shelf_status: proposalListing(vault, scope, state) }
  })
  const items = found.items.flatMap(({ row, version }) =>
    row.is === 'proposal' && (asked.run_id === undefined || row.body.run_id === asked.run_id)
      ? [proposalView(caller, { row, version })]
      : [],
  )
  return ok({ items, ...(found.next === undefined ? {} : { next: found.next }) })
}

export async function readProposal(
  deps: FlowPorts,
  caller: Caller,
  proposal_id: string,
  vault_id?: string,
): Promise<Result<ProposalView>> {
  const held = await visibleProposal(deps, caller, proposal_id, vault_id)
  return held.ok ? ok(proposalView(caller, held.value)) : held
}

async function visibleProposal(
  deps: FlowPorts,
  caller: Caller,
  proposal_id: string,
  vault_id: string | undefined,
): Promise<Result<HeldProposal>> {
  const visibility = visibilityOf(deps, caller, vault_id)
  if (!visibility.ok) return visibility
  const held = ProposalId.safeParse(proposal_id).success ? await deps.tables.row('flows', proposal_id) : undefined
  return held?.row.is === 'proposal' && sees(visibility.value, held.row)
    ? ok({ row: held.row, version: held.version })
    : refuse('proposal.unknown', { proposal_id })
}

export async function evaluateProposal(
  deps: FlowPorts,
  caller: Caller,
  proposal_id: string,
  { answers, needs_changes, note, etag }: EvaluateBody,
  vault_id?: string,
): Promise<Result<ProposalView>> {
  const allowed = mayReview(caller)
  if (!allowed.ok) return allowed
  const clean = note === undefined ? null : await deps.judgement.scanner.redact(note, 'shown')
  return change(deps, caller, { proposal_id, etag, vault_id }, async ({ row }) => {
    const next = evaluate(row, caller, { answers, needs_changes, note: clean })
    return next.ok ? ok({ row: next.value, type: 'flow.proposal_evaluated', more: [] }) : next
  })
}

/** Decides about a proposal. An approval verifies the human review that it is for, in the same commit. */
export async function decideProposal(
  deps: FlowPorts,
  caller: Caller,
  proposal_id: string,
  { decision, reason, waive, etag }: DecideProposalBody,
  vault_id?: string,
): Promise<Result<ProposalView>> {
  if (decision === 'approve') {
    const allowed = mayReview(caller)
    if (!allowed.ok) return allowed
  }
  const redacted = (text: string | undefined) =>
    text === undefined ? Promise.resolve(null) : deps.judgement.scanner.redact(text, 'shown')
  const why = await redacted(reason)
  const waived = await redacted(waive)
  return change(deps, caller, { proposal_id, etag, vault_id }, async ({ row }) => {
    const decided = isoOf(deps.clock())
    if (decision === 'discard') {
      const next = discard(row, caller, why, decided)
      return next.ok ? ok({ row: next.value, type: 'flow.proposal_discarded', more: [] }) : next
    }
    const next = approve(row, caller, { reason: why, waive: waived }, decided)
    if (!next.ok) return next
    return ok({ row: next.value, type: 'flow.proposal_approved', more: await verifiedStep(deps, caller, next.value) })
  })
}

async function verifiedStep(deps: FlowPorts, caller: Caller, proposal: ProposalRow): Promise<readonly Change[]> {
  const { step_id, proposal_id, body } = proposal
  const held = step_id === null ? undefined : await deps.tables.row('flows', body.run_id)
  if (held === undefined || held.row.is !== 'run' || step_id === null) return []
  const did = { by: caller, did: 'reviewed', step_id, note: proposal_id }
  const reviewed = withReview(held.row, step_id, proposal_id)
  return [swapFlow(withHistory(reviewed, did, deps.clock()), body.run_id, held.version)]
}

type Changed = { readonly row: ProposalRow; readonly type: AuditEvent; readonly more: readonly Change[] }

const TRIES = 20

async function change(
  deps: FlowPorts,
  caller: Caller,
  { proposal_id, etag, vault_id }: { proposal_id: string; etag: string | undefined; vault_id: string | undefined },
  decide: (held: HeldProposal) => Promise<Result<Changed>>,
): Promise<Result<ProposalView>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await visibleProposal(deps, caller, proposal_id, vault_id)
    if (!held.ok) return held
    const same = checkEtag(etag, held.value.version)
    if (!same.ok) return same
    const next = await decide(held.value)
    if (!next.ok) return next
    const { row, type, more } = next.value
    const subject = { proposal: row.proposal_id, run: row.body.run_id }
    const about = { evaluation: row.evaluation, ...(row.waived === null ? {} : { waived: true }) }
    const entry = { at: deps.clock(), type, actor: caller.id, trace: deps.ids.trace(), subject, about }
    const recorded = await deps.ledger.commit([
      swapFlow(row, row.proposal_id, held.value.version),
      ...more,
      { kind: 'audit', entry },
    ])
    if (recorded === 'committed') return ok(proposalView(caller, { row, version: held.value.version + 1 }))
    if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  }
  return refuse('audit.unavailable')
}
