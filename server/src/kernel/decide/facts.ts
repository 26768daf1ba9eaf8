import type { ApprovalId } from '../contract/ids.ts'
import type { Decision } from '../contract/approval.ts'
import type { ChosenRoute } from '../contract/routes.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Tool } from '../contract/tool.ts'
import type { Strength } from '../contract/verdict.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import type { FlowConsentFact } from '../../guests/flows/flow-consent.ts'
import type { ConsentFact } from '../consents/match-consent.ts'
import type { BudgetFact } from './budgets.ts'
import type { HealthFact } from '../../guests/serenity/health-fact.ts'
import type { ContentFact } from '../../guests/content/content-fact.ts'
import type { GuardedTexts } from '../../guests/content/guarded-texts.ts'
import type { HistoryFact } from './judge-repetition.ts'
import type { TrapFacts } from '../../guests/content/judge-trap.ts'
import type { ProvenanceFact } from '../../guests/provenance/provenance-fact.ts'
import type { FilesFact } from '../../guests/sandbox/files-fact.ts'
import type { CompiledCapabilities } from '../../guests/workflows/capabilities.ts'

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

/**
 * Everything a decision may use besides the policy and the call. Gathered through ports, once, before deciding. A fact that could
 * not be determined is `unknown`, never a default.
 */
export type Facts = {
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
  readonly files: FilesFact
  readonly traps: TrapFacts
  readonly content: ContentFact
  readonly guarded: GuardedTexts
  /** Only budgets that this call would spend from. */
  readonly budgets: readonly BudgetFact[] | 'unknown'
  readonly history: HistoryFact | 'unknown'
  /** `off` where the operator has no `serenity` section. */
  readonly health: HealthFact | 'off'
  /** What is known about the sources of the session's text; `off` if the operator disabled provenance. */
  readonly provenance: ProvenanceFact | 'off' | 'unknown'
  /** From the document whose run makes the call; absent if there is none. */
  readonly capabilities?: CompiledCapabilities | 'unknown'
  readonly approval?: ApprovalFact
  /** Absent unless an earlier attempt of this very call may have taken effect, and repeating it may do harm. */
  readonly retry?: RetryFact
  /** Absent where no route matches. */
  readonly route?: RouteFact
  /** Consents that match this call. Absent if they were not or could not be read; then none applies. */
  readonly consents?: readonly ConsentFact[]
  /** Consents for this caller and tool that do not match this call, to explain why. */
  readonly near?: readonly ConsentFact[]
  /** For a call made by a flow's step: the consent it runs under. */
  readonly flow_consent?: FlowConsentFact
}
