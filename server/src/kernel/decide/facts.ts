import type { ApprovalId } from '../contract/ids.ts'
import type { Decision } from '../contract/approval.ts'
import type { ChosenRoute } from '../contract/routes.ts'
import type { Repetition } from '../contract/budgets.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Tool } from '../contract/tool.ts'
import type { Strength } from '../contract/verdict.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import type { ConsentFact } from '../consents/match-consent.ts'
import type { Change } from '../ports/ledger.ts'
import type { BudgetFact } from './budgets.ts'

/** An approval of this exact call, read at the moment of execution. */
export type ApprovalFact = {
  readonly approval_id: ApprovalId
  readonly args_hash: string
  readonly definition_hash: string
  readonly strength: Strength
  /** Who approved, as far as it still counts, and whether the request had been escalated by then. */
  readonly decisions: readonly Decision[]
  readonly is_escalated?: boolean
}

/** The attempt whose outcome is unknown. */
export type RetryFact = {
  readonly attempt: number
  /** When it was sent. */
  readonly sent?: string
  /** Its caller has cancelled it. */
  readonly is_called_off: boolean
}

/** Who would be asked about this call, and which people that currently means. */
export type RouteFact = {
  readonly chosen: ChosenRoute
  readonly strength: 'simple' | 'strong'
  /** Absent: everybody with the approver role. */
  readonly members?: ReadonlySet<string>
  /** Members after escalation. */
  readonly escalated?: ReadonlySet<string>
}

/** What is known about earlier instances of this call (same caller, tool and arguments), in any thread. */
export type HistoryFact = {
  /** Only those that still apply. */
  readonly rejections: readonly Rejection[]
  /** How often it was made before, within the operator's time window; counting may stop at `loopLimit`. */
  readonly earlier: number
  readonly limits: Repetition
}

/** A person's rejection, with their reason if they gave one. */
export type Rejection = {
  readonly approval_id: string
  readonly by: string
  /** When it stops applying. */
  readonly until: string
  readonly reason?: string
}

/** A consent that was given in advance for the run that makes a call, and covers an ask about this call. Its units are reserved. */
export type RunConsentFact = {
  readonly consent_id: string
  readonly says: string
  /** The versions that it was read in, for the commit that starts the call. */
  readonly expects: readonly Change[]
}

/**
 * Everything a decision may use besides the policy and the call. Gathered through ports, once, before deciding. A fact that could
 * not be determined is `unknown`, never a default. A guest adds its facts by declaration merging, in its own files.
 */
export interface Facts {
  readonly now: number
  /** Whether the canonical form and hash sent by the caller, if any, equal the gate's. */
  readonly integrity: 'intact' | 'canonical_differs' | 'hash_differs'
  readonly tool: Tool
  // If one of the next three is absent it is unknown, and a rule that depends on it blocks.
  /** The operator's tags for the tool. */
  readonly tags?: readonly string[]
  /** The model lane of the calling run; null if the call has none. */
  readonly lane?: string | null
  /** The session's provenance labels. */
  readonly labels?: readonly string[]
  readonly sandboxed?: boolean
  /** How many people can decide requests here; absent if unknown, or not needed for the call's risk. */
  readonly approvers?: number
  /** The state of the credential the call was made with; `none` on the data folder's own socket. */
  readonly credential: 'active' | 'none' | 'revoked' | 'expired' | 'unknown'
  /** Only pauses that apply to this call. */
  readonly pauses: readonly PauseRow[] | 'unknown'
  /** Admitted tools of other servers that this one could be mistaken for, except those the operator has accepted. */
  readonly look_alikes: readonly LookAlike[]
  /** Only budgets that this call would spend from. */
  readonly budgets: readonly BudgetFact[] | 'unknown'
  readonly history: HistoryFact | 'unknown'
  readonly approval?: ApprovalFact
  /** Absent unless an earlier attempt of this very call may have taken effect, and repeating it may do harm. */
  readonly retry?: RetryFact
  /** Absent where no route matches. */
  readonly route?: RouteFact
  /** Consents that match this call. Absent if they were not or could not be read; then none applies. */
  readonly consents?: readonly ConsentFact[]
  /** Consents for this caller and tool that do not match this call, to explain why. */
  readonly near?: readonly ConsentFact[]
  /** Absent unless the call's run has a consent that covers it. */
  readonly run_consent?: RunConsentFact
}

/** What is known about arguments that the gate filled in itself. A guest adds the facts that its `judgeFilled` needs. */
export interface FilledFacts {
  readonly now: number
  readonly tool: Tool
}
