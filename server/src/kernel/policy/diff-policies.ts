import type { Preset, Rule } from '../contract/policy.ts'
import type { Policy } from './policy.ts'

/** The parts of a rule that are compared. */
const PARTS = ['effect', 'strength', 'preview', 'match', 'when', 'says'] as const satisfies readonly (keyof Rule)[]
export type RulePart = (typeof PARTS)[number]

export type ChangedRule = {
  readonly id: string
  readonly source: string
  readonly parts: readonly RulePart[]
  readonly before: Rule
  readonly after: Rule
}

export type PolicyDiff = {
  /** Identical files, byte for byte. */
  readonly same: boolean
  readonly preset?: { readonly before: Preset; readonly after: Preset }
  readonly added: readonly { readonly source: string; readonly rule: Rule }[]
  readonly removed: readonly { readonly source: string; readonly rule: Rule }[]
  readonly changed: readonly ChangedRule[]
}

/** How two policies differ, by the ids of the operator's rules. Rule order has no meaning and is not compared. */
export function diffPolicies(before: Policy, after: Policy): PolicyDiff {
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
