import type {
  PolicyDiffBody,
  PolicyLintBody,
  PolicyPutBody,
  PolicyReplayBody,
  PolicyTestBody,
} from '../contract/api.ts'
import type { Caller } from '../contract/caller.ts'
import type { PasskeyOptions } from '../identity/passkey.ts'
import type { PolicyNotice } from '../contract/policy.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { Routes } from '../approvals/routes/routes.ts'
import type { Policy } from './policy.ts'
import { diffPolicy, type DiffReport } from './diff-policy.ts'
import type { LintReport, PolicyCheck } from '../ports/policy-check.ts'
import type { LivePolicy, Reloaded } from './live-policy.ts'
import { loadDraft, policyWithin } from './load-policy.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Tables } from '../ports/reads.ts'
import type { Digest } from '../ports/runtime.ts'
import type { Site } from '../ports/keys.ts'
import { policyPasskey, policyText, putPolicy, type PutPolicyDeps } from './put-policy.ts'
import { replayPolicy, type ReplayReport } from './replay-policy.ts'
import { noticesOf, reloadPolicy, showPolicy, type PolicyInForce } from './show.ts'
import { testPolicy, type TestReport } from './test-policy.ts'

/** What doors may ask about policies. Everything but the notices checks the caller's permissions. */
export interface Policies {
  /** Notices that apply until the next successful reload, for every door to show. */
  notices(): readonly PolicyNotice[]
  show(caller: Caller): Result<PolicyInForce>
  reload(caller: Caller): Promise<Result<Reloaded>>
  test(caller: Caller, asked: PolicyTestBody): Result<TestReport>
  lint(caller: Caller, asked: PolicyLintBody): Promise<Result<LintReport>>
  replay(caller: Caller, asked: PolicyReplayBody): Promise<Result<ReplayReport>>
  diff(caller: Caller, asked: PolicyDiffBody): Promise<Result<DiffReport>>
  /** The active text, as the operator wrote it. */
  text(caller: Caller): Result<{ readonly text: string; readonly version: string }>
  /** Writes a draft and activates it. */
  put(caller: Caller, draft: PolicyPutBody, site: Site): Promise<Result<Reloaded>>
  /** For `navigator.credentials.get`: to activate this draft, and nothing else. */
  passkey(caller: Caller, draft: Pick<PolicyPutBody, 'text' | 'version'>, site: Site): Promise<Result<PasskeyOptions>>
}

export type PoliciesDeps = PutPolicyDeps & {
  readonly live: LivePolicy
  readonly digest: Digest
  readonly catalogue: Catalogue
  readonly tables: Tables
  readonly checkPolicy: PolicyCheck
  readonly routes: Routes
}

const TRIERS: readonly Caller['kind'][] = ['approver', 'admin']

/** The policy commands, bound. Drafts are compiled here against the known tools, and never activated. */
export function policiesOf(deps: PoliciesDeps): Policies {
  const current = () => deps.live.current()
  /** For those who may try drafts on other people's calls; without a draft, the active policy. */
  function draftFor(caller: Caller, draft: PolicyLintBody['policy']): Result<Policy> {
    if (!TRIERS.includes(caller.kind)) return refuse('auth.forbidden', { needs: TRIERS.join(', ') })
    return draft === undefined ? ok(current()) : loadDraft(deps.digest, policyWithin(draft), deps.catalogue)
  }
  return {
    notices: () => noticesOf(deps.live),
    show: (caller) => showPolicy(deps, caller),
    reload: (caller) => reloadPolicy(deps, caller),
    test(caller, { policy, cases }) {
      const draft = draftFor(caller, policy)
      return draft.ok ? testPolicy(deps, draft.value, cases) : draft
    },
    async lint(caller, { policy }) {
      const draft = draftFor(caller, policy)
      return draft.ok ? ok(await deps.checkPolicy(draft.value, deps)) : draft
    },
    async replay(caller, { policy, since }) {
      const draft = draftFor(caller, policy)
      return draft.ok ? ok(await replayPolicy(deps, draft.value, since)) : draft
    },
    async diff(caller, { policy, cases, since }) {
      const draft = draftFor(caller, policy)
      return draft.ok ? diffPolicy({ ...deps, current }, draft.value, cases, since) : draft
    },
    text: (caller) => policyText(deps, caller),
    put: (caller, draft, site) => putPolicy(deps, caller, draft, site),
    passkey: (caller, draft, site) => policyPasskey(deps, caller, draft, site),
  }
}
