import type { Policy } from '../core/gate/policy/policy.ts'
import { type Finding, lintPolicy as findInPolicy } from '../core/gate/policy/lint/lint-policy.ts'
import { schemasIn } from './load-policy.ts'
import type { Catalogue } from './ports.ts'

export type LintReport = {
  readonly policy: { readonly file: string; readonly version: string }
  readonly rules: number
  readonly findings: readonly Finding[]
}

/** What the author of a policy can hardly have meant, each with a call that shows it. */
export function lintPolicy({ catalogue }: { readonly catalogue?: Catalogue }, policy: Policy): LintReport {
  const { file, version, operator } = policy
  const findings = findInPolicy(policy, { schemas: schemasIn(catalogue) })
  return { policy: { file, version }, rules: operator.rules.length, findings }
}
