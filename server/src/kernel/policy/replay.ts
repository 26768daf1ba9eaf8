import type { Opinion } from '../contract/verdict.ts'
import { type CombinedEffect, combineOpinions, strictnessOf } from './combine-opinions.ts'
import { judgePolicy } from './judge-policy.ts'
import type { Policy, PolicyCall, PolicyFacts } from './policy.ts'

/** A call as it was judged: its arguments, the facts at the time and every opinion. */
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
  readonly from: CombinedEffect
  readonly to: CombinedEffect
  /** The draft's opinions on the call. */
  readonly opinions: readonly Opinion[]
}

export type Replay = {
  readonly judged: number
  readonly changes: readonly ReplayedChange[]
  /** How many calls change from one answer to another, such as `allow → ask`. */
  readonly sums: Readonly<Record<string, number>>
}

/** Judges recorded calls again with a draft policy; the recorded opinions of other deciders are kept. */
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
  // The strictest opinion is the gate's own answer, even if a person's approval then overrode it.
  const from = combineOpinions(evidence)
  const to = combineOpinions([...evidence.filter(({ decider }) => decider !== 'policy'), ...opinions])
  const distance = strictnessOf(to) - strictnessOf(from)
  if (distance === 0) return []
  const way = distance > 0 ? 'stricter' : 'looser'
  return [{ call_id, tool_id: facts.tool.row.tool_id, way, from, to, opinions }]
}
