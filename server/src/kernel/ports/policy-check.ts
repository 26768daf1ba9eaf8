import type { CombinedEffect } from '../policy/combine-opinions.ts'
import type { DescribedCall } from '../policy/described-call.ts'
import type { Policy } from '../policy/policy.ts'
import type { Catalogue } from './catalogue.ts'

/** A probable mistake in a policy, with a call that shows it. */
export type PolicyFinding = {
  readonly kind: 'unlisted' | 'unreachable' | 'gap' | 'contradiction'
  /** The rule it is about, followed by the other rules involved. */
  readonly rules: readonly string[]
  readonly source: string
  readonly says: string
  readonly example: DescribedCall
  /** The policy's answer to the example. */
  readonly answer: CombinedEffect
}

export type LintReport = {
  readonly policy: { readonly file: string; readonly version: string }
  readonly rules: number
  readonly findings: readonly PolicyFinding[]
  /**
   * How thorough the check was: every combination was tried (`tried`), a solver checked the rest (`proven`), or there is no solver
   * (`unproven`). `open` questions could not be answered.
   */
  readonly depth: 'tried' | 'proven' | 'unproven'
  readonly open: number
}

/** Finds probable mistakes in a policy. Without the catalogue, no tool is known. */
export type PolicyCheck = (policy: Policy, known: { readonly catalogue?: Catalogue }) => Promise<LintReport>

/** For a gate without a guest that checks policies. */
export const uncheckedPolicy: PolicyCheck = ({ file, version, operator }) =>
  Promise.resolve({
    policy: { file, version },
    rules: operator.rules.length,
    findings: [],
    depth: 'unproven',
    open: 0,
  })
