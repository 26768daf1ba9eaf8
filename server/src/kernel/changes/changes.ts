import type { Caller } from '../contract/caller.ts'
import type { GateChange } from '../contract/change.ts'
import type { ChangeNumbers, Happened } from './changes-in.ts'
import {
  CLOCKS_MS,
  hasReceived,
  receivedText,
  memberNumbers,
  together,
  type ReceivedNumbers,
} from './member-numbers.ts'
import { maySeeApproval } from '../approvals/read-approvals.ts'
import { maySeeCall } from '../attempt/read-call.ts'
import { maySeeRun } from '../runs/may-see-run.ts'
import type { AllOf } from '../all-of.ts'
import type { TableEntry, TopicNeeds } from './table-entry.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { Notices } from '../ports/notices.ts'
import type { Clock } from '../ports/runtime.ts'

export type ChangesPorts = {
  readonly notices: Notices
  readonly changeNumbers: ChangeNumbers
  readonly catalogue: Pick<LiveCatalogue, 'onRefresh'>
  readonly clock: Clock
  readonly tableEntries: readonly TableEntry[]
  /** Identifies this node in the ids of its changes. */
  readonly boot: string
  readonly after: (ms: number, callback: () => void) => () => void
  /** The servers of which this caller could find a tool now. */
  readonly serversFor: (caller: Caller) => ReadonlySet<string>
} & AllOf<TopicNeeds>

export type ChangeListener = (change: GateChange) => void

export interface Changes {
  /**
   * Reports changes from now on, as far as the caller may see them; with `after`, also those after that id. Returns a function that stops it.
   */
  onChange(caller: Caller, listener: ChangeListener, after?: string): () => void
  /** The changes after this id that the caller may see; undefined if not all of them are remembered. */
  changesAfter(caller: Caller, id: string): readonly GateChange[] | undefined
  /**
   * The id of the newest change, for a stream that had reported everything before `after`: it can be resumed from it on any node.
   */
  newest(after?: string): string
}

/** How many changes are remembered for listeners that reconnect. */
export const REMEMBERED = 2_048
/** The node, its position in its ring, and the last change it received from every node. */
const ID = /^([0-9a-z]{1,32})-(\d{1,15})~([0-9a-z.~]{1,4096})$/

type Subscriber = {
  readonly caller: Caller
  readonly listener: ChangeListener
  /** The number of the next change to report. */
  next: number
  /** What an agent could find at its last notification: losing the last tool of a server is a change too. */
  servers: ReadonlySet<string>
  /** What the stream has already reported and this node has not received yet. */
  reported?: ReceivedNumbers | undefined
}

/**
 * The changes in commits of all nodes, remembered in a ring and reported afterwards, each node's in the order of its commits.
 * INVARIANT: a commit never waits for a listener: it writes to the ring, and listeners are called from a timer.
 * INVARIANT: memory is limited by the ring; a listener that falls behind has to start over.
 */
export function openChanges(deps: ChangesPorts): Changes {
  const ring: (Happened & { readonly at: number; readonly id: string })[] = []
  const numbers = memberNumbers(deps.clock())
  const topics = new Map(deps.tableEntries.flatMap(({ topic }) => (topic === undefined ? [] : [[topic.kind, topic]])))
  const subscribers = new Set<Subscriber>()
  let count = 0
  let isNotifying = false
  /** Before this number a change published by another node may be missing. */
  let missedBefore = 0

  const newest = () => `${deps.boot}-${count}~${numbers.text(deps.clock())}`
  const oldest = () => Math.max(missedBefore, count - REMEMBERED)

  function happen(happened: readonly Happened[]): void {
    if (happened.length === 0) return
    const at = deps.clock()
    for (const one of happened) {
      const evicted = ring[count % REMEMBERED]?.by
      if (evicted !== undefined) numbers.forget(evicted.node, evicted.number)
      if (one.by !== undefined) numbers.receive(one.by.node, one.by.number)
      count += 1
      ring[(count - 1) % REMEMBERED] = { ...one, at, id: newest() }
    }
    notifySoon()
  }

  /** A number without a change: a listener that has not got this far starts over. */
  function miss(): void {
    count += 1
    missedBefore = count
    numbers.missed(deps.clock(), deps.boot)
    askCounts()
    notifySoon()
  }

  function notifySoon(): void {
    if (subscribers.size === 0 || isNotifying) return
    isNotifying = true
    deps.after(0, notifyAll)
  }

  function notifyAll(): void {
    isNotifying = false
    for (const subscriber of subscribers) {
      try {
        notifyOne(subscriber)
      } catch {
        // A listener that throws must not keep the others from being called.
        subscribers.delete(subscriber)
      }
    }
  }

  function notifyOne(subscriber: Subscriber): void {
    if (subscriber.next < oldest()) {
      subscriber.next = count
      subscriber.listener({ id: newest(), at: deps.clock(), kind: 'reset' })
    }
    if (subscriber.reported !== undefined && numbers.covers(subscriber.reported) && subscriber.next === count)
      subscriber.reported = undefined
    while (subscriber.next < count && subscribers.has(subscriber)) {
      const change = seenBy(subscriber, subscriber.next)
      subscriber.next += 1
      if (change !== undefined) subscriber.listener(change)
    }
  }

  const isReported = (reported: ReceivedNumbers | undefined, { by }: Happened) =>
    reported !== undefined && by !== undefined && hasReceived(reported, by.node, by.number)

  function seenBy(
    subscriber: Pick<Subscriber, 'caller' | 'servers' | 'reported'>,
    number: number,
  ): GateChange | undefined {
    const happened = ring[number % REMEMBERED]
    if (happened === undefined || isReported(subscriber.reported, happened) || !maySee(subscriber, happened))
      return undefined
    return { id: idFor(happened.id, subscriber.reported), at: happened.at, ...happened.change }
  }

  function maySee(subscriber: Pick<Subscriber, 'caller' | 'servers'>, happened: Happened): boolean {
    const { change, owner, run } = happened
    if (change.kind === 'call')
      return owner !== undefined && maySeeCall(subscriber.caller, { ...change, caller: owner })
    if (change.kind === 'approval')
      return owner !== undefined && maySeeApproval(subscriber.caller, { ...change, caller: owner })
    if (change.kind === 'run') return run !== undefined && maySeeRun(subscriber.caller, run)
    if (change.kind === 'pause' || change.kind === 'policy' || change.kind === 'reset') return true
    if (change.kind !== 'tools') return topics.get(change.kind)?.maySee(deps, subscriber.caller, happened) ?? false
    const before = subscriber.servers
    subscriber.servers = deps.serversFor(subscriber.caller)
    return before.has(change.server) || subscriber.servers.has(change.server)
  }

  function askCounts(): void {
    deps.notices.publish('counts', { node: deps.boot, number: deps.changeNumbers.last, asks: true })
  }

  /** Where a stream that ended with this id continues: in this node's ring, and what it has already reported. */
  function placeOf(id: string): { readonly from: number | undefined; readonly reported: ReceivedNumbers } | undefined {
    const [, boot, digits, text = ''] = ID.exec(id) ?? []
    const reported = boot === undefined ? undefined : numbers.read(text)
    if (reported === undefined) return undefined
    return { from: boot === deps.boot ? Number(digits) : undefined, reported }
  }
  /** The id of a position in the ring, for a stream that has reported more than this node has received. */
  function idFor(id: string, reported: ReceivedNumbers | undefined): string {
    const place = reported === undefined ? undefined : placeOf(id)
    if (reported === undefined || place === undefined) return id
    return `${deps.boot}-${place.from}~${receivedText(together(place.reported, reported))}`
  }
  const reportedBefore = (id: string | undefined): ReceivedNumbers | undefined => {
    const reported = id === undefined ? undefined : placeOf(id)?.reported
    return reported === undefined || numbers.covers(reported) ? undefined : reported
  }

  // What this node published before is not in the ring, but the other nodes have received it.
  numbers.receiveCount(deps.boot, deps.changeNumbers.last)
  deps.notices.subscribe('changes', happen)
  deps.notices.subscribe('counts', ({ node, number, asks }, origin) => {
    if (origin === 'here') return
    numbers.receiveCount(node, number)
    if (asks) deps.notices.publish('counts', { node: deps.boot, number: deps.changeNumbers.last, asks: false })
  })
  askCounts()
  deps.notices.onMissed(miss)
  deps.catalogue.onRefresh((server) => happen([{ change: { kind: 'tools', server } }]))

  return {
    onChange(caller, listener, after) {
      const subscriber: Subscriber = {
        caller,
        listener,
        next: count,
        servers: deps.serversFor(caller),
        reported: reportedBefore(after),
      }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    changesAfter(caller, id) {
      const place = placeOf(id)
      if (place === undefined) return undefined
      const { from, reported } = place
      if (from === undefined ? !numbers.isWholeAfter(reported) : from < oldest() || from > count) return undefined
      const first = from ?? Math.max(0, count - REMEMBERED)
      const subscriber = { caller, servers: deps.serversFor(caller), reported }
      return Array.from({ length: count - first }, (_, index) => first + index).flatMap((number) => {
        const happened = ring[number % REMEMBERED]
        // Changes that only this node knows about, such as its list of tools, are selected by time for a listener that comes from another
        // node.
        const isOld = from === undefined && happened?.by === undefined && (happened?.at ?? 0) <= reported.at - CLOCKS_MS
        return (isOld ? undefined : seenBy(subscriber, number)) ?? []
      })
    },
    newest: (after) => idFor(newest(), reportedBefore(after)),
  }
}
