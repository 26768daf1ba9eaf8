import type { ChannelEvent } from '../../contract/channels.ts'
import { CHANNEL_EVENTS } from '../../contract/channels.ts'
import { delivery, newDelivery } from '../../core/runs/delivery.ts'
import { beginRun } from '../../core/runs/begin-run.ts'
import type { Channel } from '../ports/channels.ts'
import type { Change, Ledger, Swap } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { newRunChanges } from '../runs/run-changes.ts'

export type OutboxDeps = {
  readonly ledger: Ledger
  readonly channels: readonly Pick<Channel, 'name' | 'events'>[]
  readonly ids: Pick<Ids, 'run'>
  readonly clock: Clock
}

/**
 * The same ledger, whose commits also hold the messages that tell of them.
 * INVARIANT: a message is durable exactly when what it tells of is. They stand at the end, so that `lost` names the same change.
 */
export function withOutbox({ ledger, channels, ids, clock }: OutboxDeps): Ledger {
  if (channels.length === 0) return ledger
  return {
    commit(changes) {
      const told = changes.flatMap((change) => toldBy(change))
      const messages = told.flatMap((news) =>
        channels.filter(({ events }) => events.includes(news.event)).flatMap(({ name }) => messageTo(name, news)),
      )
      return ledger.commit(messages.length === 0 ? changes : [...changes, ...messages])
    },
  }

  function messageTo(channel: string, news: News): Change[] {
    const now = clock()
    const run_id = ids.run()
    const first = newDelivery({ ...news, delivery_id: run_id, channel, at: now })
    return newRunChanges(beginRun(delivery, run_id, first, now))
  }
}

type News = { readonly event: ChannelEvent; readonly call_id: string; readonly approval_id: string | null }

function toldBy(change: Change): News[] {
  if (change.kind !== 'swap') return []
  const name = nameOf(change)
  const event = CHANNEL_EVENTS.find((known) => known === name)
  if (event === undefined || (change.table !== 'approvals' && change.table !== 'calls')) return []
  return [{ event, call_id: change.to.call_id, approval_id: change.to.approval_id ?? null }]
}

function nameOf(swap: Swap): string | undefined {
  if (swap.table === 'approvals') {
    const isSeconded = swap.to.state === 'pending' && swap.from !== 'absent'
    return isSeconded ? 'approval.seconded' : `approval.${swap.to.state}`
  }
  if (swap.table !== 'calls') return undefined
  const { state, approval_id, due, settled } = swap.to
  // A call that is still to be read back, or that a person has settled, was or will be told of once.
  if (due !== undefined || settled !== undefined) return undefined
  return approval_id !== undefined || state === 'unknown' ? `call.${state}` : undefined
}
