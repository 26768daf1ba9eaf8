import type { Opinion } from '../../../contract/verdict.ts'
import { type Answer, answerOf, strictnessOf } from './answer.ts'
import { judgePolicy } from './judge-policy.ts'
import type { Policy, PolicyCall, PolicyFacts } from './policy.ts'

/** A call as it was judged then: its arguments, the facts of that time and everyone's opinion. */
export type RecordedCall = {
  readonly call_id: string
  readonly call: PolicyCall
  readonly facts: PolicyFacts
  readonly evidence: readonly Opinion[]
}

export type ReplayedChange = {
  readonly call_id: string
  readonly tool_id: string
  readonly way: 'stricter' | 'looser'
  readonly from: Answer
  readonly to: Answer
  /** What the draft says of the call. */
  readonly opinions: readonly Opinion[]
}

export type Replay = {
  readonly judged: number
  readonly changes: readonly ReplayedChange[]
  /** How many calls go from one answer to the other, such as `allow → ask`. */
  readonly sums: Readonly<Record<string, number>>
}

/** Judges recorded calls again with a draft in the place of the policy of that time; the other deciders' opinions stand. */
export function replayPolicy(recorded: readonly RecordedCall[], draft: Policy): Replay {
  const changes = recorded.flatMap((record) => changeOf(record, draft))
  const sums: Record<string, number> = {}
  for (const { from, to } of changes) {
    const name = `${from.effect} → ${to.effect}`
    sums[name] = (sums[name] ?? 0) + 1
  }
  return { judged: recorded.length, changes, sums }
}

function changeOf({ call_id, call, facts, evidence }: RecordedCall, draft: Policy): ReplayedChange[] {
  const opinions = judgePolicy(draft, call, facts)
  // The strictest opinion is the gate's question, also where a person's approval answered it.
  const from = answerOf(evidence)
  const to = answerOf([...evidence.filter(({ decider }) => decider !== 'policy'), ...opinions])
  const distance = strictnessOf(to) - strictnessOf(from)
  if (distance === 0) return []
  const way = distance > 0 ? 'stricter' : 'looser'
  return [{ call_id, tool_id: facts.tool.row.tool_id, way, from, to, opinions }]
}
