import { serialize } from '@marcbachmann/cel-js'
import type { Match, Preset, Rule, PolicyWarning } from '../contract/policy.ts'
import type { Effect, Strength } from '../contract/verdict.ts'
import { spellEffect } from './combine-opinions.ts'
import type { Policy } from './policy.ts'
import { keysOf } from './rule-index.ts'
import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { LivePolicy, Reloaded } from './live-policy.ts'

type ShownRule = {
  readonly layer: 'operator' | 'preset'
  readonly id: string
  readonly effect: Effect
  readonly strength?: Strength
  readonly preview?: boolean
  readonly source: string
  readonly match: Match
  /** The condition as parsed, not as written. */
  readonly when?: string
  readonly says: string
  /** The whole rule as one sentence. */
  readonly reads: string
  /** How a call finds it: `tool is mail__send`; empty if it is checked for every call. */
  readonly found_by: readonly string[]
}

type ShownPolicy = {
  readonly version: string
  readonly file: string
  readonly preset: Preset
  readonly mode: Policy['mode']
  readonly rules: readonly ShownRule[]
  readonly reads: string
}

/** The active rules and their reasons, as data: the operator's rules in order, then the preset's. */
export function explainPolicy(policy: Policy): ShownPolicy {
  const { version, file, preset, mode } = policy
  const layers = [
    { layer: 'operator', held: policy.operator },
    { layer: 'preset', held: policy.fallback },
  ] as const
  const rules = layers.flatMap(({ layer, held }) =>
    held.rules.map((compiled): ShownRule => {
      const { rule, source, when } = compiled
      const { id, effect, strength, preview, match, says } = rule
      const condition = when === undefined ? undefined : serialize(when.ast)
      return {
        layer,
        id,
        effect,
        ...(strength === undefined ? {} : { strength }),
        ...(preview === undefined ? {} : { preview }),
        source,
        match,
        ...(condition === undefined ? {} : { when: condition }),
        says,
        reads: readAloud(rule, condition),
        found_by: keysOf(held.index, compiled),
      }
    }),
  )
  const observed =
    mode === 'observe' ? ' Verdicts are recorded; only traps, integrity failures and pauses are enforced.' : ''
  const reads = `The strictest matching rule of ${file} decides; if none matches, the strictest rule of the preset ${preset} decides; if none of those matches, the call is blocked.${observed}`
  return { version, file, preset, mode, rules, reads }
}

const FIELD_WORDS: Readonly<Record<keyof Match, string>> = {
  tool: 'the tool is',
  server: 'the server is',
  effects: 'its effects include',
  risk: 'the risk is',
  tag: 'it is tagged',
  caller: 'the caller is',
  user: 'the user is',
  role: 'the role is',
  lane: 'the lane is',
}

function readAloud({ effect, strength, preview, match, says }: Rule, condition: string | undefined): string {
  const fields = (Object.keys(FIELD_WORDS) as (keyof Match)[]).flatMap((field) => {
    const any = match[field]
    return any === undefined ? [] : [`${FIELD_WORDS[field]} ${any.join(' or ')}`]
  })
  const tests = condition === undefined ? fields : [...fields, condition]
  const answer = spellEffect(strength === undefined ? { effect } : { effect, strength })
  const tried = preview === true ? ' after a dry run' : ''
  return `${answer}${tried} ${tests.length === 0 ? 'always' : `if ${tests.join(' and ')}`}: ${says}`
}

export type PolicyInForce = ShownPolicy & { readonly since: number; readonly notices: readonly PolicyWarning[] }

const READERS: readonly Caller['kind'][] = ['user', 'approver', 'admin']

/** The active policy and its sources, and what was rejected since. */
export function showPolicy({ live }: { readonly live: LivePolicy }, caller: Caller): Result<PolicyInForce> {
  if (!READERS.includes(caller.kind)) return refuse('auth.forbidden', { needs: READERS.join(', ') })
  return ok({ ...explainPolicy(live.current()), since: live.since(), notices: warningsOf(live) })
}

export function warningsOf(live: LivePolicy): readonly PolicyWarning[] {
  const warning = live.warning()
  return warning === undefined ? [] : [warning]
}

/** Reads the policy from disk again, on request. */
export async function reloadPolicy({ live }: { readonly live: LivePolicy }, caller: Caller): Promise<Result<Reloaded>> {
  return caller.kind === 'admin' ? live.reload('request', caller.id) : refuse('auth.forbidden', { needs: 'admin' })
}
