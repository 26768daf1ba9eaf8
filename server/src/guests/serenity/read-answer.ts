import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { ToolflowVerdict } from './api.ts'
import type { ProviderFact } from './health-fact.ts'
import { scoreOf } from '../../kernel/decide/risk-of.ts'

/** A gate provider's answer. An unknown decision is an ask; a missing answer is no opinion. */
export function readGateAnswer(answer: Json | undefined, source: string): ProviderFact {
  if (!isJsonObject(answer)) return { source, word: 'no_answer', says: 'gave no answer that can be read' }
  const said = answer['decision'] ?? answer['mode']
  if (said === undefined) return { source, word: 'no_answer', says: 'answered without a `decision` or a `mode`' }
  const known = ToolflowVerdict.safeParse(typeof said === 'string' ? said.trim().toUpperCase() : said)
  const total_score = scoreOf(answer['total_score'])
  return {
    source,
    word: known.data ?? 'ASK',
    says: known.success ? `said ${known.data}` : 'answered with a word that is not AUTO_RUN, ASK or BLOCK',
    ...(total_score === undefined ? {} : { total_score }),
  }
}

/** A risk provider's score: a number, or an object with a `risk_score`. */
export function readRiskAnswer(answer: Json | undefined): number | 'unknown' {
  return scoreOf(isJsonObject(answer) ? answer['risk_score'] : answer) ?? 'unknown'
}
