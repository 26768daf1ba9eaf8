import type { ChannelEvent } from './channels.ts'
import { CHANNEL_EVENTS } from './channels.ts'
import { delivery, newDelivery } from './delivery.ts'
import { beginRun } from '../runs/begin-run.ts'
import type { Channel } from './channels-use.ts'
import type { Companion } from '../changes/companions.ts'
import type { Change, Swap } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { ESCALATED } from './escalate-approval.ts'
import { newRunChanges } from '../runs/run-changes.ts'

export type OutboxPorts = {
  readonly channels: readonly Pick<Channel, 'name' | 'events'>[]
  readonly ids: Pick<Ids, 'run'>
  readonly clock: Clock
}

/** The messages about a commit, to every channel that wants them. */
export function outbox({ channels, ids, clock }: OutboxPorts): Companion {
  if (channels.length === 0) return {}
  return {
    add(changes) {
      const isEscalation = changes.some((change) => change.kind === 'audit' && change.entry.type === ESCALATED)
      const reported = changes.flatMap((change) => reportedBy(change, isEscalation))
      return reported.flatMap(({ only, ...news }) =>
        channels
          .filter(({ name, events }) => events.includes(news.event) && (only?.includes(name) ?? true))
          .flatMap(({ name }) => messageTo(name, news)),
      )
    },
  }

  function messageTo(channel: string, news: Omit<News, 'only'>): Change[] {
    const now = clock()
    const run_id = ids.run()
    const first = newDelivery({ ...news, delivery_id: run_id, channel, at: now })
    return newRunChanges(beginRun(delivery, run_id, first, now))
  }
}

type News = {
  readonly event: ChannelEvent
  readonly call_id: string
  readonly approval_id: string | null
  /** The channels that a route names; absent: all of them. */
  readonly only?: readonly string[]
}

function reportedBy(change: Change, isEscalation: boolean): News[] {
  if (change.kind !== 'swap') return []
  const name = nameOf(change, isEscalation)
  const event = CHANNEL_EVENTS.find((known) => known === name)
  if (event === undefined || (change.table !== 'approvals' && change.table !== 'calls')) return []
  const news = { event, call_id: change.to.call_id, approval_id: change.to.approval_id ?? null }
  const only = channelsOf(change)
  return [only === undefined ? news : { ...news, only }]
}

/** People who are asked after an escalation also get all later messages. */
function channelsOf(swap: Swap): readonly string[] | undefined {
  if (swap.table === 'calls') return swap.to.verdict.route?.channels
  if (swap.table !== 'approvals' || swap.to.route === undefined) return undefined
  const { channels, escalation, escalated_at } = swap.to.route
  if (channels === undefined || escalated_at === undefined) return channels
  return [...new Set([...channels, ...(escalation?.channels ?? [])])]
}

function nameOf(swap: Swap, isEscalation: boolean): string | undefined {
  if (swap.table === 'approvals') {
    if (isEscalation) return ESCALATED
    const isSeconded = swap.to.state === 'pending' && swap.from !== 'absent'
    return isSeconded ? 'approval.seconded' : `approval.${swap.to.state}`
  }
  if (swap.table !== 'calls') return undefined
  const { state, approval_id, due, settled, retry } = swap.to
  // A call that is still to be read back, that a person has settled, or whose retry is asked about, is reported at another time.
  if (due !== undefined || settled !== undefined || retry !== undefined) return undefined
  return approval_id !== undefined || state === 'unknown' ? `call.${state}` : undefined
}
