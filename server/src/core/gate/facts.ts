import type { ApprovalId } from '../../contract/ids.ts'
import type { PauseRow } from '../../contract/pause.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Strength } from '../../contract/verdict.ts'

/** A person's standing decision about this very call, at the moment of its execution. */
export type ApprovalFact = {
  readonly approval_id: ApprovalId
  readonly args_hash: string
  readonly definition_hash: string
  readonly strength: Strength
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
  /** Only the pauses that concern this call. */
  readonly pauses: readonly PauseRow[] | 'unknown'
  readonly approval?: ApprovalFact
}
