import type {
  PolicyDiffBody,
  PolicyLintBody,
  PolicyPutBody,
  PolicyReplayBody,
  PolicyTestBody,
  FileText,
} from '../contract/api.ts'
import type { Caller } from '../contract/caller.ts'
import type { PasskeyOptions } from '../identity/passkey.ts'
import type { PolicyWarning, Preset, Rule } from '../contract/policy.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { ApprovalRoutes } from '../approvals/routes/routes.ts'
import type { Policy } from './policy.ts'
import type { LintReport, PolicyCheck } from '../ports/policy-check.ts'
import type { LivePolicy, Reloaded } from './live-policy.ts'
import { loadDraft, policyWithin } from './load-policy.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Tables } from '../ports/reads.ts'
import type { Digest } from '../ports/runtime.ts'
import type { Site } from '../ports/keys.ts'
import { policyPasskey, policyText, putPolicy, type PutPolicyPorts } from './put-policy.ts'
import { replayPolicy, type ReplayReport } from './replay-policy.ts'
import { warningsOf, reloadPolicy, showPolicy, type PolicyInForce } from './show.ts'
import { testPolicy, type TestReport, type TestPorts } from './test-policy.ts'
import { type CombinedEffect, strictnessOf } from './combine-opinions.ts'

/** What doors may ask about policies. Everything but the notices checks the caller's permissions. */
export interface Policies {
  /** Notices that apply until the next successful reload, for every door to show. */
  notices(): readonly PolicyWarning[]
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

export type PoliciesPorts = PutPolicyPorts & {
  readonly live: LivePolicy
  readonly digest: Digest
  readonly catalogue: Catalogue
  readonly tables: Tables
  readonly checkPolicy: PolicyCheck
  readonly routes: ApprovalRoutes
}

const TRIERS: readonly Caller['kind'][] = ['approver', 'admin']

/** The policy commands, bound. Drafts are compiled here against the known tools, and never activated. */
export function policiesOf(deps: PoliciesPorts): Policies {
  const current = () => deps.live.current()
  /** For those who may try drafts on other people's calls; without a draft, the active policy. */
  function draftFor(caller: Caller, draft: PolicyLintBody['policy']): Result<Policy> {
    if (!TRIERS.includes(caller.kind)) return refuse('auth.forbidden', { needs: TRIERS.join(', ') })
    return draft === undefined ? ok(current()) : loadDraft(deps.digest, policyWithin(draft), deps.catalogue)
  }
  return {
    notices: () => warningsOf(deps.live),
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

type ChangedCase = {
  readonly name: string
  readonly source: string
  readonly before: CombinedEffect
  readonly after: CombinedEffect
  /** Whether each of the two gives what the case expects. */
  readonly passes: { readonly before: boolean; readonly after: boolean }
}

type DiffReport = {
  readonly before: { readonly file: string; readonly version: string }
  readonly after: { readonly file: string; readonly version: string }
  readonly rules: PolicyDiff
  readonly cases: { readonly run: number; readonly changed: readonly ChangedCase[] }
  /** Only if recorded calls were requested. */
  readonly replay?: ReplayReport
}

type DiffPorts = TestPorts & { readonly tables: Tables; readonly current: () => Policy }

/**
 * Compares a draft with the active policy: which rules differ, and which cases and recorded calls would be answered differently.
 */
export async function diffPolicy(
  deps: DiffPorts,
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
  deps: TestPorts,
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

/** The parts of a rule that are compared. */
const PARTS = ['effect', 'strength', 'preview', 'match', 'when', 'says'] as const satisfies readonly (keyof Rule)[]
type RulePart = (typeof PARTS)[number]

type ChangedRule = {
  readonly id: string
  readonly source: string
  readonly parts: readonly RulePart[]
  readonly before: Rule
  readonly after: Rule
}

type PolicyDiff = {
  /** Identical files, byte for byte. */
  readonly same: boolean
  readonly preset?: { readonly before: Preset; readonly after: Preset }
  readonly added: readonly { readonly source: string; readonly rule: Rule }[]
  readonly removed: readonly { readonly source: string; readonly rule: Rule }[]
  readonly changed: readonly ChangedRule[]
}

/** How two policies differ, by the ids of the operator's rules. Rule order has no meaning and is not compared. */
function diffPolicies(before: Policy, after: Policy): PolicyDiff {
  const old = new Map(before.operator.rules.map((compiled) => [compiled.rule.id, compiled]))
  const fresh = new Map(after.operator.rules.map((compiled) => [compiled.rule.id, compiled]))
  const only = (these: typeof old, those: typeof old) =>
    [...these.values()].filter(({ rule }) => !those.has(rule.id)).map(({ source, rule }) => ({ source, rule }))
  const changed = [...fresh.values()].flatMap(({ rule, source }): ChangedRule[] => {
    const was = old.get(rule.id)?.rule
    const parts = was === undefined ? [] : PARTS.filter((part) => spell(was[part]) !== spell(rule[part]))
    return was === undefined || parts.length === 0 ? [] : [{ id: rule.id, source, parts, before: was, after: rule }]
  })
  return {
    same: before.version === after.version,
    ...(before.preset === after.preset ? {} : { preset: { before: before.preset, after: after.preset } }),
    added: only(fresh, old),
    removed: only(old, fresh),
    changed,
  }
}

/** Parsed rules have their fields in schema order, whatever the file's order. */
const spell = (part: Rule[RulePart]): string => JSON.stringify(part ?? null)
