import { loadRoutes } from '../kernel/approvals/load-routes.ts'
import { invalidPolicy, loadDraft, policyWithin, type PolicyText } from '../kernel/policy/load-policy.ts'
import { testPolicy } from '../kernel/policy/test-policy.ts'
import type { PolicyLintBody } from '../kernel/contract/api.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import type { CliBoot } from '../adapters/cli/cli-boot.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { nearestConfig, settingsMeant } from './local-gate.ts'
import { readPolicy } from './policy-files.ts'
import { checkPolicy } from './guest-parts.ts'

/** Tests and lints a draft, or the configured policy, without a running gate. Read-only; no tool is known here. */
export function offlinePolicy(options: UpOptions): ReturnType<CliBoot['offline']> {
  const load = (draft: PolicyLintBody['policy']) => {
    const text = draft === undefined ? configured(options) : ok(policyWithin(draft))
    return text.ok ? loadDraft(sha256Hex, text.value) : text
  }
  return {
    async test({ policy, cases }) {
      const draft = load(policy)
      if (!draft.ok) return draft
      const settings = settingsMeant(options)
      const routes = settings.ok ? { routes: loadRoutes(settings.value.config.approvals) } : {}
      return testPolicy({ digest: sha256Hex, ...routes }, draft.value, cases)
    },
    async lint({ policy }) {
      const draft = load(policy)
      return draft.ok ? ok(await checkPolicy(draft.value, {})) : draft
    },
  }
}

function configured(options: UpOptions): Result<PolicyText> {
  const read = readPolicy(nearestConfig(options))
  return read.ok ? ok(read.value) : invalidPolicy(read.faults)
}
