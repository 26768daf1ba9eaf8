import type { Call } from '../contract/call.ts'
import type { Repetition } from '../contract/budgets.ts'
import { onlyReads, type Tool } from '../contract/tool.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { Facts, Rejection } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/** A read changes nothing, so a loop of reads costs only time: a person is asked much later. */
const READS_FACTOR = 10

/** How often the same call to this tool may be made before a person is asked. */
export function loopLimit({ most }: Repetition, tool: Tool): number {
  return onlyReads(tool) ? most * READS_FACTOR : most
}

export const HINT_RULE = 'repetition.hint'

/** A rejected call is not asked about twice, a loop is shown to a person, and a model that reads in a loop is told so. */
export function judgeRepetition(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const { history, tool } = facts
  const opinion = { decider: 'repetition', source: `caller ${call.caller.id}`, at: facts.now }
  if (history === 'unknown') {
    const says = 'it could not be checked whether this call was made or denied before'
    return [{ ...opinion, effect: 'block', rule: 'repetition.unknown', says }]
  }
  const { limits } = history
  const rejected = history.rejections.map((rejection): Opinion => {
    return { ...opinion, effect: 'block', rule: 'repetition.rejected', says: sayRejection(rejection) }
  })
  const times = history.earlier + 1
  if (times < limits.most) return rejected
  const made = `this exact call was made ${limits.most} times or more within ${limits.within_s} s`
  if (times >= loopLimit(limits, tool))
    return [...rejected, { ...opinion, effect: 'ask', strength: 'simple', rule: 'repetition.loop', says: made }]
  const says = `${made}; use the answer you already have, or change the arguments`
  return [...rejected, { ...opinion, effect: 'allow', rule: HINT_RULE, says }]
}

function sayRejection({ approval_id, by, until, reason }: Rejection): string {
  const why = reason === undefined || reason === '' ? '' : `; the reason given: ${reason}`
  return `${by} denied this exact call (${approval_id}), and the denial applies until ${until}${why}`
}
