import type { FileText } from '../contract/api.ts'
import { ok, type Result } from '../contract/problems.ts'
import { type Answer, strictnessOf } from './answer.ts'
import type { Policy } from './policy.ts'
import type { Tables } from '../ports/reads.ts'
import { replayPolicy, type ReplayReport } from './replay-policy.ts'
import { testPolicy, type TestDeps } from './test-policy.ts'
import type { Preset, Rule } from '../contract/policy.ts'

type ChangedCase = {
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

type DiffDeps = TestDeps & { readonly tables: Tables; readonly current: () => Policy }

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
