import type { Call } from '../../kernel/contract/call.ts'
import { SERENITY_LIMITS } from './serenity.ts'
import { EFFECT_OF_VERDICT, isStale } from './api.ts'
import type { Effect, Opinion } from '../../kernel/contract/verdict.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { HealthFact, ProviderFact, ScoreFact } from './health-fact.ts'
import { riskOf } from '../../kernel/decide/risk-of.ts'
import type { Policy } from '../../kernel/policy/policy.ts'

type Finding = { readonly effect: Effect; readonly rule: string; readonly says: string; readonly source: string }

/**
 * The serenity rules: the health of the operator's system and the risk of the call. No opinion without a `serenity` section.
 * INVARIANT: only a fresh score above the limit, or the operator's own gate, passes a call; anything unknown is asked about (law
 * in judge-health.test.ts).
 */
export function judgeHealth(_policy: Policy, call: Call, { health, now }: Facts): Opinion[] {
  if (health === 'off') return []
  const found =
    health.forced === undefined
      ? [...findingsAbout(health, now), ...riskFindings(health, call)]
      : [force(health.forced)]
  return found.map((finding) => ({ decider: 'health', ...finding, at: now }))
}

function force(word: NonNullable<HealthFact['forced']>): Finding {
  const says = `${word} is forced by TRINITY_TOOLFLOW_FORCE_DECISION, in test mode`
  return { effect: EFFECT_OF_VERDICT[word], rule: 'health.forced', says, source: 'environment' }
}

/**
 * The operator's own gate is asked first and its answer counts. If it gives none, that is a reason to ask, and the score is
 * judged as well.
 */
function findingsAbout({ provider, newest, max_age_ms }: HealthFact, now: number): Finding[] {
  if (provider === undefined) return [scoreFinding(newest, max_age_ms, now)]
  if (provider.word !== 'no_answer') return [answered(provider, EFFECT_OF_VERDICT[provider.word])]
  return [answered(provider, 'ask'), scoreFinding(newest, max_age_ms, now)]
}

const answered = ({ says, source }: ProviderFact, effect: Effect): Finding => ({
  effect,
  rule: 'health.provider',
  says: `the gate provider ${says}`,
  source,
})

function scoreFinding(newest: ScoreFact, max_age_ms: number, now: number): Finding {
  const { source } = newest
  if (newest.is === 'unknown')
    return { effect: 'ask', rule: 'health.none', says: `no valid health evidence: ${source} ${newest.says}`, source }
  const { block_below, ask_up_to } = SERENITY_LIMITS
  const { score, at } = newest
  if (isStale(at, max_age_ms, now)) {
    const says = `the health score is ${Math.floor((now - at) / 60_000)} minutes old, more than ${max_age_ms / 60_000}`
    return { effect: 'ask', rule: 'health.stale', says, source }
  }
  if (score < block_below)
    return { effect: 'block', rule: 'health.low', says: `the health score is ${score}, below ${block_below}`, source }
  if (score <= ask_up_to)
    return {
      effect: 'ask',
      rule: 'health.middling',
      says: `the health score is ${score}, not above ${ask_up_to}`,
      source,
    }
  return { effect: 'allow', rule: 'health.good', says: `the health score is ${score}, above ${ask_up_to}`, source }
}

/** An unknown risk matters only for calls made by runs, because nobody watches them choose the tool. */
function riskFindings({ risk }: HealthFact, call: Call): Finding[] {
  const score = riskOf(risk.score, call)
  const { source } = risk
  if (score === 'unknown') {
    if (call.by_run === undefined) return []
    const says = `the risk is unknown, so the ${call.by_run.kind} does not run it without a person`
    return [{ effect: 'ask', rule: 'health.risk_unknown', says, source }]
  }
  const { risk_from } = SERENITY_LIMITS
  return score < risk_from
    ? [{ effect: 'allow', rule: 'health.risk_low', says: `the risk is ${score}, below ${risk_from}`, source }]
    : [{ effect: 'ask', rule: 'health.risk_high', says: `the risk is ${score}, not below ${risk_from}`, source }]
}
