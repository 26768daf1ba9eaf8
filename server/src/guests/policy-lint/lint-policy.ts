import type { Policy } from '../../kernel/policy/policy.ts'
import { type Finding, lintPolicy as findInPolicy } from './find-in-policy.ts'
import { needsProof, provePolicy } from './prove-policy.ts'
import type { Solve } from './solved-call.ts'
import { listedTools } from '../../kernel/catalogue/listed-tools.ts'
import { listedIds } from '../../kernel/text/nearest-tool.ts'
import { schemasIn } from '../../kernel/policy/load-policy.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'

/** Starts a solver, uses it and stops it; undefined if there is none. */
export type Solver = <T>(use: (solve: Solve) => Promise<T>) => Promise<T | undefined>

export type LintReport = {
  readonly policy: { readonly file: string; readonly version: string }
  readonly rules: number
  readonly findings: readonly Finding[]
  /**
   * How thorough the check was: every combination was tried (`tried`), a solver checked the rest (`proven`), or there is no solver
   * (`unproven`). `open` questions could not be answered.
   */
  readonly depth: 'tried' | 'proven' | 'unproven'
  readonly open: number
}

export type LintDeps = { readonly catalogue?: Catalogue; readonly solver?: Solver }

/** Probable mistakes in a policy, each with a call that shows it. */
export async function lintPolicy({ catalogue, solver }: LintDeps, policy: Policy): Promise<LintReport> {
  const { file, version, operator } = policy
  const listed = listedTools(listedIds(catalogue?.tools() ?? []))
  const options = { schemas: schemasIn(catalogue), listed }
  const findings = findInPolicy(policy, options)
  const report = { policy: { file, version }, rules: operator.rules.length }
  if (!needsProof(policy)) return { ...report, findings, depth: 'tried', open: 0 }
  const proven = await solver?.((solve) => provePolicy(policy, options, solve, findings))
  if (proven === undefined) return { ...report, findings, depth: 'unproven', open: 0 }
  return { ...report, findings: [...findings, ...proven.findings], depth: 'proven', open: proven.open }
}
