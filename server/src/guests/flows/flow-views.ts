import type { Caller } from '../../kernel/contract/caller.ts'
import type { FlowConsentRow, FlowExecutionRecord, FlowRunRow, ProposalRow } from './flow-rows.ts'
import type { ExecutionView, FlowConsentView, FlowRunView, ProposalView } from './flows.ts'
import { etagOf, isoOf, type HeldProposal, type HeldRun } from './flow-access.ts'

/** Rows as clients see them, in the format of their schemas. */

export function runView({ row, version }: HeldRun): FlowRunView {
  const { run_id, flow_id, flow_version, scope, status, step_states, started, task_ref, external_ref } = row
  const { actor, harness } = row.provenance as Partial<FlowRunRow['provenance']>
  const provenance = { actor: actor ?? '', harness: harness ?? 'unknown' }
  return {
    run_id,
    flow_id,
    flow_version,
    scope,
    status,
    step_states,
    started,
    provenance,
    task_ref,
    external_ref,
    etag: etagOf(version),
  }
}

export function consentView(row: FlowConsentRow, left: number | undefined): FlowConsentView {
  return {
    consent_id: row.consent_id,
    vault_id: row.vault_id,
    scope: row.scope,
    run_id: row.run_id,
    flow_id: row.flow_id,
    flow_version: row.flow_version,
    allowed_lanes: row.allowed_lanes,
    cost_cap_units: row.cost_cap_units,
    cost_consumed_units: row.cost_cap_units - (left ?? 0),
    actor_hash: row.actor_hash,
    expires_at: isoOf(row.expires_at),
    revoked_at: row.revoked_at === undefined ? null : isoOf(row.revoked_at),
  }
}

export function executionView(record: FlowExecutionRecord): ExecutionView {
  const { execution_id, step_id, status, evidence_ref, cost_units, reserved_units, model_lane, completed_at } = record
  const cost = status === 'running' ? cost_units : reserved_units
  return { execution_id, step_id, status, evidence_ref, cost_units: cost, model_lane, completed_at }
}

export function proposalView(caller: Caller, { row, version }: HeldProposal): ProposalView {
  const { v: _v, is: _is, proposer, ...rest } = row
  const {
    shelf: _a,
    shelf_status: _b,
    shelf_flow: _c,
    shelf_flow_status: _d,
    ...shown
  } = rest as typeof rest & Pick<ProposalRow, 'shelf'>
  return { ...shown, own: proposer === caller.user, etag: etagOf(version) }
}
