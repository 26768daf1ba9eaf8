import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { loadRoutes } from '../kernel/approvals/load-routes.ts'
import type { PolicyLintBody, PolicyTestBody } from '../kernel/contract/api.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import { invalidPolicy, loadDraft, policyWithin } from '../kernel/policy/load-policy.ts'
import type { Policy } from '../kernel/policy/policy.ts'
import { testPolicy, type TestReport } from '../kernel/policy/test-policy.ts'
import type { LintReport } from '../kernel/ports/policy-check.ts'
import { checkPolicy } from './guest-parts.ts'
import { nearestConfig, settingsMeant } from './local-gate.ts'
import { readPolicy } from './policy-files.ts'

/** Tests a draft, or the configured policy, without a running gate. Read-only; no tool is known here. */
export async function testPolicyOffline(options: UpOptions, asked: PolicyTestBody): Promise<Result<TestReport>> {
  const policy = policyMeant(options, asked.policy)
  if (!policy.ok) return policy
  const settings = settingsMeant(options)
  const routes = settings.ok ? { routes: loadRoutes(settings.value.config.approvals) } : {}
  return testPolicy({ digest: sha256Hex, ...routes }, policy.value, asked.cases)
}

/** Lints a draft, or the configured policy, in the same way. */
export async function lintPolicyOffline(options: UpOptions, asked: PolicyLintBody): Promise<Result<LintReport>> {
  const policy = policyMeant(options, asked.policy)
  return policy.ok ? ok(await checkPolicy(policy.value, {})) : policy
}

function policyMeant(options: UpOptions, draft: PolicyLintBody['policy']): Result<Policy> {
  if (draft !== undefined) return loadDraft(sha256Hex, policyWithin(draft))
  const read = readPolicy(nearestConfig(options))
  return read.ok ? loadDraft(sha256Hex, read.value) : invalidPolicy(read.faults)
}
