import type { FileText } from '../contract/api.ts'
import type { PolicyFault } from '../contract/policy.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { spellFault } from './policy-faults.ts'
import type { ApprovalRoutes } from '../approvals/routes/routes.ts'
import type { Policy } from './policy.ts'
import { type CaseResult, runCases } from './test-cases.ts'
import { schemasIn } from './load-policy.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Digest } from '../ports/runtime.ts'

export type TestPorts = {
  readonly digest: Digest
  /** Absent without a gate: then cases have to describe their tools. */
  readonly catalogue?: Catalogue
  readonly routes?: ApprovalRoutes
}
export type TestReport = {
  readonly policy: { readonly file: string; readonly version: string }
  readonly passed: number
  readonly failed: number
  readonly results: readonly CaseResult[]
}

/** Runs YAML cases against a policy. If one file cannot be read, nothing is reported. */
export function testPolicy(deps: TestPorts, policy: Policy, cases: readonly FileText[]): Result<TestReport> {
  const faults: PolicyFault[] = []
  const results: CaseResult[] = []
  for (const source of cases) {
    const tools = (tool_id: string) => deps.catalogue?.tool(tool_id)
    const routes = deps.routes === undefined ? {} : { routes: deps.routes }
    const ran = runCases(source, { digest: deps.digest, policy, schemas: schemasIn(deps.catalogue), tools, ...routes })
    if (ran.ok) results.push(...ran.results)
    else faults.push(...ran.faults)
  }
  if (faults.length > 0) return refuse('policy.cases_invalid', { faults: faults.map(spellFault).join('\n') })
  const failed = results.filter(({ passed }) => !passed).length
  const { file, version } = policy
  return ok({ policy: { file, version }, passed: results.length - failed, failed, results })
}
