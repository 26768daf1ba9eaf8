import type { LintReport, PolicyCheck } from '../../kernel/ports/policy-check.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import { lintPolicy as findInPolicy } from './find-in-policy.ts'
import { needsProof, provePolicy } from './prove-policy.ts'
import { z3, type Solver } from './z3.ts'
import { listedTools } from '../../kernel/catalogue/listed-tools.ts'
import { listedIds } from '../../kernel/text/nearest-tool.ts'
import { schemasIn } from '../../kernel/policy/load-policy.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'

/** Probable mistakes in a policy, each with a call that shows it. */
export async function lintPolicy(
  policy: Policy,
  { catalogue, solver }: { readonly catalogue?: Catalogue; readonly solver?: Solver },
): Promise<LintReport> {
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

/** With the solver, if it is installed. */
export const checkPolicy: PolicyCheck = (policy, known) => lintPolicy(policy, { ...known, solver: z3 })
