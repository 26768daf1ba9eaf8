import type {
  Evaluation,
  ExecutionStatus,
  Flow,
  FlowHistoryItem,
  FlowRunView,
  FlowScope,
  FlowStep,
  ProposalView,
} from './flows.ts'
import type { KeyId, RunId } from '../../kernel/contract/ids.ts'
import type { ExecutionId, FlowConsentId, ProposalId } from './ids.ts'

/** The keys by which a row is listed, composed so that each kind of listing is one of them. */
export type FlowListings = {
  readonly shelf?: string
  readonly shelf_status?: string
  readonly shelf_flow?: string
  readonly shelf_flow_status?: string
}

/** One version of a flow with the bodies of its steps. Never changed once written. */
export type FlowVersionRow = FlowListings & {
  readonly v: 1
  readonly is: 'version'
  readonly vault_id: string
  readonly flow: Flow
  readonly steps: readonly FlowStep[]
}

/** The newest version of a flow, and what a list of flows shows. */
export type FlowHeadRow = FlowListings & {
  readonly v: 1
  readonly is: 'head'
  readonly vault_id: string
  readonly flow: Flow
}

export type FlowExecutionRecord = {
  readonly execution_id: ExecutionId
  readonly step_id: string
  readonly consent_id: FlowConsentId
  /** The run that executes it. */
  readonly driven_by: RunId
  readonly status: ExecutionStatus
  readonly evidence_ref: string | null
  /** Settled units. */
  readonly cost_units: number
  /** Units taken from the consent: the settled ones, and those of the call in progress. */
  readonly reserved_units: number
  /** The number of the last call for which units were taken, and of the last one that was settled. */
  readonly reserved_for: number
  readonly settled_for: number
  readonly model_lane: string
  readonly by: string
  readonly started_at: string
  readonly completed_at: string | null
  readonly reason: string | null
}

export type FlowRunRow = FlowListings &
  Omit<FlowRunView, 'etag'> & {
    readonly v: 1
    readonly is: 'run'
    readonly vault_id: string
    readonly title: string
    readonly consents: number
    readonly executions: readonly FlowExecutionRecord[]
    readonly history: readonly FlowHistoryItem[]
  }

export type ProposalRow = FlowListings &
  Omit<ProposalView, 'etag' | 'own' | 'proposal_id'> & {
    readonly v: 1
    readonly is: 'proposal'
    readonly proposal_id: ProposalId
    /** The proposer's user: nobody approves their own proposal. */
    readonly proposer: string
    readonly evaluation: Evaluation
  }

export type FlowRow = FlowVersionRow | FlowHeadRow | FlowRunRow | ProposalRow

/** A permission to execute steps of one run. Its units are in a separate account. */
export type FlowConsentRow = {
  readonly v: 1
  readonly consent_id: FlowConsentId
  readonly vault_id: string
  readonly scope: FlowScope
  readonly run_id: RunId
  readonly flow_id: string
  readonly flow_version: string
  readonly allowed_lanes: readonly string[]
  readonly cost_cap_units: number
  readonly actor_hash: string
  readonly minted_by: string
  /** The key it was given with, with which it ends. Absent if it was given without one of our keys. */
  readonly minted_key?: KeyId
  /** Its minter may decide approvals, so it turns an ask of the policy into an allow. */
  readonly lifts_asks: boolean
  readonly minted_at: number
  readonly expires_at: number
  readonly revoked_at?: number
  readonly revoked_by?: string
  /** The run: consents are listed by it. */
  readonly of_run: string
}

export const FLOWS_LISTED_BY = ['shelf', 'shelf_status', 'shelf_flow', 'shelf_flow_status'] as const
export const FLOW_CONSENTS_LISTED_BY = ['of_run'] as const

declare module '../../kernel/ports/ledger.ts' {
  interface Rows {
    flows: FlowRow
    flow_consents: FlowConsentRow
  }
  interface ListedBy {
    flows: typeof FLOWS_LISTED_BY
    flow_consents: typeof FLOW_CONSENTS_LISTED_BY
  }
}
