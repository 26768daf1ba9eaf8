import type { Call } from '../../contract/call.ts'
import type { Repetition } from '../../contract/judgement.ts'
import type { Opinion } from '../../contract/verdict.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'

const LONGEST_THREAD = 64

/** What is known of the same call (tool and arguments) in the same thread, before this one was made. */
export type HistoryFact = {
  readonly rejections: readonly { readonly approval_id: string; readonly by: string }[]
  /** How often it was made before, within the operator's time; counting may stop at `limits.most`. */
  readonly earlier: number
  readonly limits: Repetition
}

/** A person's no is not asked for twice, and a loop is shown to a person. */
export function judgeRepetition(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const { history } = facts
  const opinion = { decider: 'repetition', source: `thread ${quoted(call.thread, LONGEST_THREAD)}`, at: facts.now }
  if (history === 'unknown') {
    const says = 'what happened in this thread before could not be read'
    return [{ ...opinion, effect: 'block', rule: 'repetition.unknown', says }]
  }
  const rejected = history.rejections.map(({ approval_id, by }): Opinion => {
    const says = `${by} rejected this same call in this thread (${approval_id})`
    return { ...opinion, effect: 'block', rule: 'repetition.rejected', says }
  })
  const { most, within_s } = history.limits
  if (history.earlier + 1 < most) return rejected
  const says = `the same call was made ${most} times or more within ${within_s} s in this thread`
  return [...rejected, { ...opinion, effect: 'ask', strength: 'simple', rule: 'repetition.loop', says }]
}
