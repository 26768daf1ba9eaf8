import type { ApprovalId } from '../../contract/ids.ts'
import type { Decision } from '../../contract/approval.ts'
import type { ChosenRoute } from '../../contract/routes.ts'
import type { PauseRow } from '../../contract/pause.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Strength } from '../../contract/verdict.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import type { FlowConsentFact } from '../consent/flow-consent.ts'
import type { ConsentFact } from '../consent/match-consent.ts'
import type { BudgetFact } from './budgets/budgets.ts'
import type { HealthFact } from './health/health-fact.ts'
import type { ContentFact } from './content/content-fact.ts'
import type { GuardedTexts } from './guarded-texts.ts'
import type { HistoryFact } from './judge-repetition.ts'
import type { TrapFacts } from './judge-trap.ts'
import type { ProvenanceFact } from '../provenance/provenance-fact.ts'
import type { FilesFact } from './sandbox/files-fact.ts'
import type { CompiledCapabilities } from '../workflow/capabilities.ts'

/** A person's standing decision about this very call, at the moment of its execution. */
export type ApprovalFact = {
  readonly approval_id: ApprovalId
  readonly args_hash: string
  readonly definition_hash: string
  readonly strength: Strength
  /** Who approved, and whether the other group was asked by then. Absent where the request is not routed. */
  readonly decisions?: readonly Decision[]
  readonly is_escalated?: boolean
}

/** Who is asked about this call, should it be asked about, and the people that this means today. */
export type RouteFact = {
  readonly chosen: ChosenRoute
  readonly strength: 'simple' | 'strong'
  /** Absent: everybody with the role. */
  readonly members?: ReadonlySet<string>
  /** After the escalation. */
  readonly escalated?: ReadonlySet<string>
}

/**
 * Everything a decision may look at besides the policy and the call. Gathered through ports, once, before deciding.
 * A fact that could not be had is the word `unknown`, never a default.
 */
export type Facts = {
  readonly now: number
  /** Whether the caller's own canonical form and hash, if any, equal the gate's. */
  readonly integrity: 'intact' | 'canonical_differs' | 'hash_differs'
  readonly tool: Tool
  // What is absent of the next three is unknown, and a rule that asks for it blocks.
  /** The operator's words for the tool. */
  readonly tags?: readonly string[]
  /** The model lane of the run that calls; null for a call without one. */
  readonly lane?: string | null
  /** The session's provenance labels. */
  readonly labels?: readonly string[]
  readonly sandboxed?: boolean
  /** How many people can decide requests here; absent when nobody can tell, or the call's risk does not ask for it. */
  readonly approvers?: number
  /** What has become of the credential the call was made with; `none` on the data folder's own socket. */
  readonly credential: 'good' | 'none' | 'revoked' | 'expired' | 'unknown'
  /** Only the pauses that concern this call. */
  readonly pauses: readonly PauseRow[] | 'unknown'
  /** Admitted tools of other servers that this one can be taken for, and that the operator has not declared known. */
  readonly look_alikes: readonly LookAlike[]
  readonly files: FilesFact
  readonly traps: TrapFacts
  readonly content: ContentFact
  readonly guarded: GuardedTexts
  /** Only the budgets that this call would take from. */
  readonly budgets: readonly BudgetFact[] | 'unknown'
  readonly history: HistoryFact | 'unknown'
  /** `off` where the operator has no `serenity` section. */
  readonly health: HealthFact | 'off'
  /** What the session knows of whose words are whose; `off` where the operator does not want it. */
  readonly provenance: ProvenanceFact | 'off' | 'unknown'
  /** Of the document whose run makes the call; absent for a call without one. */
  readonly capabilities?: CompiledCapabilities | 'unknown'
  readonly approval?: ApprovalFact
  /** Absent where no route matches. */
  readonly route?: RouteFact
  /** Those that are about this call. Absent when they were not or could not be read, and then they cover nothing. */
  readonly consents?: readonly ConsentFact[]
  /** Consents for this caller and tool that are not about this call, to say why. */
  readonly near?: readonly ConsentFact[]
  /** Of a call that a flow's step makes: the consent it is made under. */
  readonly flow_consent?: FlowConsentFact
}
