import type { Call } from '../../../contract/call.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { identityOf } from '../../../core/gate/identity-of.ts'
import type { Shelves } from '../../ports.ts'
import type { Judgement } from './load-judgement.ts'

export type HistoryDeps = { readonly shelves: Shelves; readonly judgement: Judgement }

/** After a person's no the same call is blocked, so only requests that waited beside it can stand before it here. */
const MOST_REQUESTS = 50

/** The same call in the same thread, before this one was made: how often, and whether a person said no to it. */
export async function historyFact({ shelves, judgement }: HistoryDeps, call: Call): Promise<Facts['history']> {
  const limits = judgement.repetition
  const same = { identity: identityOf(call) }
  try {
    const calls = await shelves.list('calls', same, { limit: limits.most + 1, newest_first: true })
    const requests = await shelves.list('approvals', same, { limit: MOST_REQUESTS, newest_first: true })
    const since = call.received_at - limits.within_s * 1000
    const earlier = calls.filter(({ row }) => row.call_id !== call.call_id && isBetween(row.received_at, since, call))
    const rejections = requests.flatMap(({ row }) =>
      row.decisions
        .filter(({ says, at }) => row.state === 'denied' && says === 'deny' && at <= call.received_at)
        .map(({ by }) => ({ approval_id: row.approval_id, by })),
    )
    return { rejections, earlier: earlier.length, limits }
  } catch {
    return 'unknown'
  }
}

const isBetween = (at: number, since: number, call: Call) => at > since && at <= call.received_at
