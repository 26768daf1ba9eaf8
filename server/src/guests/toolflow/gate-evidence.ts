import type { Call } from '../../kernel/contract/call.ts'
import { VERDICT_OF_EFFECT } from '../serenity/api.ts'
import type { GateEvidence } from './toolflow.ts'
import type { Verdict } from '../../kernel/contract/verdict.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import { riskOf } from '../../kernel/decide/risk-of.ts'
import { isStale } from '../serenity/api.ts'

/** The gate's verdict with the numbers behind it. Invents nothing: what is not known is null. */
export function gateEvidence(verdict: Verdict, call: Call, { health, now }: Facts): GateEvidence {
  const gate_status = VERDICT_OF_EFFECT[verdict.effect]
  const risk = riskOf(health === 'off' ? 'unknown' : health.risk.score, call)
  const risk_score = risk === 'unknown' ? null : risk
  const none = { gate_status, total_score: null, risk_score, stale_score: null }
  if (health === 'off') return { ...none, source: 'policy' }
  if (health.forced !== undefined) return { ...none, source: 'environment' }
  const { provider, newest, max_age_ms } = health
  if (provider !== undefined && provider.word !== 'no_answer')
    return { ...none, total_score: provider.total_score ?? null, source: provider.source }
  if (newest.is === 'unknown') return { ...none, source: newest.source }
  return { ...none, total_score: newest.score, stale_score: isStale(newest.at, max_age_ms, now), source: newest.source }
}
