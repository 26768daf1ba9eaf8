import type { Caller } from '../../contract/caller.ts'
import type { GateChange } from '../../contract/change.ts'
import type { Happened } from './changes-in.ts'
import { maySeeApproval } from '../approvals/read-approvals.ts'
import { maySeeCall } from '../calls/read-call.ts'
import { maySeeRun } from '../runs/may-see-run.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { Notices } from '../ports/notices.ts'
import type { Clock } from '../ports/runtime.ts'

export type ChangesDeps = {
  readonly notices: Pick<Notices, 'subscribe' | 'onMissed'>
  readonly catalogue: Pick<LiveCatalogue, 'onRefresh'>
  readonly clock: Clock
  /** Names this process in the ids of its changes. */
  readonly boot: string
  readonly after: (ms: number, callback: () => void) => () => void
  /** The servers of which this caller could find a tool now. */
  readonly serversFor: (caller: Caller) => ReadonlySet<string>
}

export type ChangeListener = (change: GateChange) => void

export interface Changes {
  /** Tells of what changes from now on, as far as the caller may see it. Returns how to stop. */
  onChange(caller: Caller, listener: ChangeListener): () => void
  /** What the caller may see of the changes after this id; undefined when not all of them are remembered. */
  changesAfter(caller: Caller, id: string): readonly GateChange[] | undefined
  /** The id of the newest change. */
  newest(): string
}

/** How far back a listener may come late. */
export const REMEMBERED = 2_048
const ID = /^([^-]+)-(\d{1,15})$/

type Ear = {
  readonly caller: Caller
  readonly listener: ChangeListener
  /** The number of the next change to tell. */
  next: number
  /** What an agent could find when it was last told: the loss of the last tool of a server is news too. */
  servers: ReadonlySet<string>
}

/**
 * What commits of all nodes change, remembered in a ring and told afterwards, each node's in the order of its commits.
 * INVARIANT: a commit never waits for a listener: it writes to the ring, and listeners are called from a timer.
 * INVARIANT: memory is bounded by the ring; a listener that falls behind it is told to start over.
 */
export function openChanges(deps: ChangesDeps): Changes {
  const ring: (Happened & { readonly at: number })[] = []
  const ears = new Set<Ear>()
  let count = 0
  let isTelling = false
  /** Before this number something may be missing that another node told. */
  let missedBefore = 0

  const idOf = (number: number) => `${deps.boot}-${number}`
  const oldest = () => Math.max(missedBefore, count - REMEMBERED)

  function happen(happened: readonly Happened[]): void {
    if (happened.length === 0) return
    const at = deps.clock()
    for (const one of happened) {
      ring[count % REMEMBERED] = { ...one, at }
      count += 1
    }
    tellSoon()
  }

  /** A number without a change: whoever has not come this far starts over. */
  function miss(): void {
    count += 1
    missedBefore = count
    tellSoon()
  }

  function tellSoon(): void {
    if (ears.size === 0 || isTelling) return
    isTelling = true
    deps.after(0, tell)
  }

  function tell(): void {
    isTelling = false
    for (const ear of ears) {
      try {
        tellOne(ear)
      } catch {
        // Whoever cannot listen must not keep the others from hearing.
        ears.delete(ear)
      }
    }
  }

  function tellOne(ear: Ear): void {
    if (ear.next < oldest()) {
      ear.next = count
      ear.listener({ id: idOf(count), at: deps.clock(), kind: 'reset' })
    }
    while (ear.next < count && ears.has(ear)) {
      const change = seenBy(ear, ear.next)
      ear.next += 1
      if (change !== undefined) ear.listener(change)
    }
  }

  function seenBy(ear: Pick<Ear, 'caller' | 'servers'>, number: number): GateChange | undefined {
    const happened = ring[number % REMEMBERED]
    if (happened === undefined || !maySee(ear, happened)) return undefined
    return { id: idOf(number + 1), at: happened.at, ...happened.change }
  }

  function maySee(ear: Pick<Ear, 'caller' | 'servers'>, happened: Happened): boolean {
    const { change, owner, run_owner } = happened
    if (change.kind === 'call') return owner !== undefined && maySeeCall(ear.caller, { ...change, caller: owner })
    if (change.kind === 'approval')
      return owner !== undefined && maySeeApproval(ear.caller, { ...change, caller: owner })
    if (change.kind === 'run') return run_owner !== undefined && maySeeRun(ear.caller, { owner: run_owner })
    if (change.kind !== 'tools') return true
    const before = ear.servers
    ear.servers = deps.serversFor(ear.caller)
    return before.has(change.server) || ear.servers.has(change.server)
  }

  deps.notices.subscribe('changes', happen)
  deps.notices.onMissed(miss)
  deps.catalogue.onRefresh((server) => happen([{ change: { kind: 'tools', server } }]))

  return {
    onChange(caller, listener) {
      const ear: Ear = { caller, listener, next: count, servers: deps.serversFor(caller) }
      ears.add(ear)
      return () => void ears.delete(ear)
    },
    changesAfter(caller, id) {
      const [, boot, digits] = ID.exec(id) ?? []
      const from = Number(digits)
      if (boot !== deps.boot || from < oldest() || from > count) return undefined
      const ear = { caller, servers: deps.serversFor(caller) }
      const numbers = Array.from({ length: count - from }, (_, index) => from + index)
      return numbers.map((number) => seenBy(ear, number)).filter((change) => change !== undefined)
    },
    newest: () => idOf(count),
  }
}
