import { SERENITY_LIMITS } from './serenity.ts'
import type { ScoreFact } from './health-fact.ts'
import { scoreOf } from '../../kernel/decide/risk-of.ts'
import { recordTime } from '../../kernel/text/iso-time.ts'

/** A health file in the folder. If it has no text it could not be read, and `fault` says why. */
export type HealthRecord = {
  readonly name: string
  readonly changed_at: number
  readonly text?: string
  readonly fault?: string
}

/** The content of one file, independent of the current time. */
export type ReadRecord = { readonly at: number; readonly fact: ScoreFact }

/** INVARIANT: only a JSON number from 0 to 100 is a score; any other value is unknown. */
export function readRecord({ name, changed_at, text, fault }: HealthRecord): ReadRecord {
  const unknown = (says: string): ReadRecord => ({ at: changed_at, fact: { is: 'unknown', says, source: name } })
  if (text === undefined) return unknown(fault ?? 'cannot be read')
  const fields = fieldsOf(text)
  if (fields === undefined) return unknown('is not a JSON object')
  const at = fields['timestamp'] === undefined ? changed_at : recordTime(fields['timestamp'])
  if (at === undefined) return unknown('has a `timestamp` that is not a time')
  const score = scoreOf(fields['overall_trinity_score'])
  if (score !== undefined) return { at, fact: { is: 'known', score, at, source: name } }
  return { at, fact: { is: 'unknown', says: 'has no `overall_trinity_score` from 0 to 100', source: name } }
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined
  } catch {
    return undefined
  }
}

/**
 * The newest record by its own timestamp. An unreadable record counts too, by its file's time: an older good score says nothing
 * about now. If several records have the same time, the worst one counts.
 */
export function newestScore(records: readonly ReadRecord[], now: number): ScoreFact {
  const present = records.filter(({ at }) => at <= now + SERENITY_LIMITS.ahead_ms)
  const newest = Math.max(...present.map(({ at }) => at))
  const [first] = present.filter(({ at }) => at === newest).toSorted((a, b) => rank(a.fact) - rank(b.fact))
  return first?.fact ?? { is: 'unknown', says: 'contains no health record', source: 'serenity.log_dir' }
}

const rank = (fact: ScoreFact) => (fact.is === 'known' ? fact.score : -1)
