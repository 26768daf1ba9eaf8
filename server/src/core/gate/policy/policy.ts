import type { Call } from '../../../contract/call.ts'
import type { Preset, Rule } from '../../../contract/policy.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Condition } from './condition/condition.ts'
import type { CompiledMatch } from './match.ts'
import type { RuleIndex } from './rule-index.ts'

/** A rule with its globs split and its condition compiled. */
export type CompiledRule = {
  readonly rule: Rule
  /** Where it stands, for people: `file:line`, or `preset careful`. */
  readonly source: string
  /** Its place among the rules of its layer. */
  readonly order: number
  readonly match: CompiledMatch
  readonly when?: Condition
}

export type Layer = { readonly rules: readonly CompiledRule[]; readonly index: RuleIndex }

/** What is in force. Immutable: a reload makes another one. */
export type Policy = {
  /** SHA-256 of the file's text. */
  readonly version: string
  readonly file: string
  readonly preset: Preset
  /** In `observe` verdicts are recorded, and only traps, integrity failures and pauses are enforced. */
  readonly mode: 'enforce' | 'observe'
  readonly operator: Layer
  readonly fallback: Layer
}

/** What rules may look at of a call. */
export type PolicyCall = Pick<Call, 'caller' | 'canonical_args' | 'thread'>

/** What rules may look at besides the call. */
export type PolicyFacts = {
  readonly now: number
  readonly tool: Tool
  // What is absent below is unknown, and a rule that asks for it blocks: it cannot be told whether it fits.
  /** The operator's words for the tool. */
  readonly tags?: readonly string[]
  /** The model lane of the run that calls; null for a call without one. */
  readonly lane?: string | null
  /** The session's provenance labels. */
  readonly labels?: readonly string[]
  /** Whether the tool's server has a sandbox. Unknown counts as no. */
  readonly sandboxed?: boolean
  /** How many people can decide requests on this gate. Unknown counts as enough. */
  readonly approvers?: number
}
