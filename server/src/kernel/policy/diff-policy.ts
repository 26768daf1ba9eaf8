import type { FileText } from '../contract/api.ts'
import { ok, type Result } from '../contract/problems.ts'
import { type Answer, strictnessOf } from './answer.ts'
import { diffPolicies, type PolicyDiff } from './diff-policies.ts'
import type { Policy } from './policy.ts'
import type { Tables } from '../ports/reads.ts'
import { replayPolicy, type ReplayReport } from './replay-policy.ts'
import { testPolicy, type TestDeps } from './test-policy.ts'

export type ChangedCase = {
  readonly name: string
  readonly source: string
  readonly before: Answer
  readonly after: Answer
  /** Whether each of the two gives what the case expects. */
  readonly passes: { readonly before: boolean; readonly after: boolean }
}

export type DiffReport = {
  readonly before: { readonly file: string; readonly version: string }
  readonly after: { readonly file: string; readonly version: string }
  readonly rules: PolicyDiff
  readonly cases: { readonly run: number; readonly changed: readonly ChangedCase[] }
  /** Only if recorded calls were requested. */
  readonly replay?: ReplayReport
}

export type DiffDeps = TestDeps & { readonly tables: Tables; readonly current: () => Policy }

/**
 * Compares a draft with the active policy: which rules differ, and which cases and recorded calls would be answered differently.
 */
export async function diffPolicy(
  deps: DiffDeps,
  draft: Policy,
  cases: readonly FileText[],
  since: number | undefined,
): Promise<Result<DiffReport>> {
  const current = deps.current()
  const ran = casesUnder(deps, current, draft, cases)
  if (!ran.ok) return ran
  const replay = since === undefined ? undefined : await replayPolicy(deps, draft, since)
  return ok({
    before: { file: current.file, version: current.version },
    after: { file: draft.file, version: draft.version },
    rules: diffPolicies(current, draft),
    cases: ran.value,
    ...(replay === undefined ? {} : { replay }),
  })
}

function casesUnder(
  deps: TestDeps,
  current: Policy,
  draft: Policy,
  cases: readonly FileText[],
): Result<DiffReport['cases']> {
  const now = testPolicy(deps, current, cases)
  if (!now.ok) return now
  const then = testPolicy(deps, draft, cases)
  if (!then.ok) return then
  const changed = now.value.results.flatMap((before, at): ChangedCase[] => {
    const after = then.value.results[at]
    if (after === undefined || strictnessOf(before.answer) === strictnessOf(after.answer)) return []
    const { name, source } = before
    const passes = { before: before.passed, after: after.passed }
    return [{ name, source, before: before.answer, after: after.answer, passes }]
  })
  return ok({ run: now.value.results.length, changed })
}
