import type { Call } from '../contract/call.ts'
import type { Preset, Rule } from '../contract/policy.ts'
import type { Tool } from '../contract/tool.ts'
import type { Condition } from './condition/condition.ts'
import type { CompiledMatch } from './match.ts'
import type { RuleIndex } from './rule-index.ts'

/** A rule with its globs parsed and its condition compiled. */
export type CompiledRule = {
  readonly rule: Rule
  /** Where the rule is defined, for messages: `file:line`, or `preset careful`. */
  readonly source: string
  /** Its position among the rules of its layer. */
  readonly order: number
  readonly match: CompiledMatch
  readonly when?: Condition
}

export type Layer = { readonly rules: readonly CompiledRule[]; readonly index: RuleIndex }

/** The active policy. Immutable: a reload creates a new one. */
export type Policy = {
  /** SHA-256 of the file's text. */
  readonly version: string
  readonly file: string
  readonly preset: Preset
  /** In `observe` mode verdicts are recorded, and only traps, integrity failures and pauses are enforced. */
  readonly mode: 'enforce' | 'observe'
  readonly operator: Layer
  readonly fallback: Layer
}

/** The parts of a call that rules may use. */
export type PolicyCall = Pick<Call, 'caller' | 'canonical_args' | 'thread'>

/** The facts that rules may use besides the call. */
export type PolicyFacts = {
  readonly now: number
  readonly tool: Tool
  // If one of the fields below is absent it is unknown, and a rule that depends on it blocks, because it cannot be evaluated.
  /** The operator's tags for the tool. */
  readonly tags?: readonly string[]
  /** The model lane of the calling run; null if the call has none. */
  readonly lane?: string | null
  /** The session's provenance labels. */
  readonly labels?: readonly string[]
  /** Whether the tool's server has a sandbox. Unknown counts as no. */
  readonly sandboxed?: boolean
  /** How many people can decide requests on this gate. Unknown counts as enough. */
  readonly approvers?: number
}
