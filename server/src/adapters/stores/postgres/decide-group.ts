import type { Table, Version } from '../../../kernel/ports/ledger.ts'
import { linkEntry, type Head } from '../../../kernel/audit/chain.ts'
import type { GroupResult } from '../batch-link.ts'
import type { OnceSum } from '../once-sum.ts'
import type { PackedChange, PackedCommit, PackedRow } from './packed-change.ts'

export type Account = { readonly units: bigint; readonly until: number | null; readonly mac: string }
/** An account after the group; its MAC is computed when it is written. */
export type NextAccount = Omit<Account, 'mac'>

/** What is known about the stored state. Undefined if unknown. */
export type Known = {
  version(table: Table, id: string): Version | undefined
  once(key: string): boolean | undefined
  /** `none` if there is none, `forged` if somebody else wrote it: nothing can be spent from either. */
  account(id: string): Account | 'none' | 'forged' | undefined
  /** The number of the run's last event, 0 if there is none. */
  last(run: string): number | undefined
  readonly head: Head
  readonly keys: OnceSum
  /** Whether the stored audit is the one that this process wrote. */
  readonly isSameAudit: boolean
}

export type RowState = { readonly was: Version; now: Version; row?: PackedRow | undefined }
export type OnceState = { readonly was: boolean; until?: number | undefined }
export type AccountState = { readonly was: Account | 'none' | 'forged'; now: NextAccount | 'none' | 'forged' }
export type RunState = {
  /** The number of the last event before the group; undefined if the group does not depend on it. */
  readonly was: number | undefined
  last: number | undefined
  /** Stored events up to this number are deleted. */
  forget: number
  /** New events, by number. */
  events: ReadonlyMap<number, string>
  /** Whether the stored wake-ups are deleted. */
  isRested: boolean
  wakes: ReadonlySet<number>
}

/** What a group reads and writes. The database checks the `was` values before anything is written. */
export type GroupPlan = {
  readonly rows: ReadonlyMap<string, RowState & { readonly table: Table; readonly id: string }>
  readonly onces: ReadonlyMap<string, OnceState>
  readonly accounts: ReadonlyMap<string, AccountState>
  readonly runs: ReadonlyMap<string, RunState>
  readonly entries: readonly { readonly head: Head; readonly text: string }[]
  readonly head: Head
  /** Nobody waits for the flush of this group. */
  readonly isSyncedLater: boolean
}
export type DecidedGroup = { readonly outcomes: readonly GroupResult[]; readonly plan: GroupPlan }

/** Something must be read first. */
class Unknown extends Error {}

/**
 * Decides which commits of a group are stored, in order, and what is written then. Pure. If nothing is known about a row, it is
 * assumed to be as the change expects, and the database checks that. Undefined if something else has to be known first.
 * INVARIANT: a commit that loses leaves nothing behind for those after it.
 */
export function decideGroup(
  commits: readonly PackedCommit[],
  known: Known,
  digest: (text: string) => string,
): DecidedGroup | undefined {
  const state = groupState(known, digest)
  try {
    const outcomes = commits.map(({ changes }): GroupResult => {
      const lost = changes.findIndex((change) => !state.apply(change))
      if (lost !== -1) state.undo()
      state.keep()
      return lost === -1 ? 'committed' : { lost }
    })
    return { outcomes, plan: { ...state.plan(), isSyncedLater: isSyncedLater(commits) && state.isForgettable() } }
  } catch (error) {
    if (error instanceof Unknown) return undefined
    throw error
  }
}

const isSyncedLater = (commits: readonly PackedCommit[]): boolean =>
  commits.every(({ changes }) => {
    const last = changes.at(-1)
    return last?.kind === 'sync_later' && last.repeated === true
  })

const MOST_UNITS = 2n ** 63n - 1n

function groupState(known: Known, digest: (text: string) => string) {
  const rows = new Map<string, RowState & { readonly table: Table; readonly id: string }>()
  const onces = new Map<string, OnceState>()
  const accounts = new Map<string, AccountState>()
  const runs = new Map<string, RunState>()
  let entries: { readonly head: Head; readonly text: string }[] = []
  let head = known.head
  /** What this commit changed, as it was before. */
  let before: (() => void)[] = []
  let marked = { entries: 0, head }

  const rowOf = (table: Table, id: string, expected: Version) => {
    const key = `${table} ${id}`
    const found = rows.get(key)
    if (found !== undefined) return found
    const was = known.version(table, id) ?? Math.max(expected, 0)
    const made = { table, id, was, now: was }
    rows.set(key, made)
    return made
  }
  const onceOf = (key: string) => {
    const found = onces.get(key) ?? { was: known.once(key) ?? false }
    onces.set(key, found)
    return found
  }
  const accountOf = (id: string, isOpened: boolean): AccountState => {
    const found = accounts.get(id)
    if (found !== undefined) return found
    const was = known.account(id) ?? (isOpened ? 'none' : undefined)
    if (was === undefined) throw new Unknown()
    const made = { was, now: was }
    accounts.set(id, made)
    return made
  }
  const runOf = (run: string): RunState => {
    const found = runs.get(run) ?? {
      was: undefined,
      last: undefined,
      forget: 0,
      events: new Map<number, string>(),
      isRested: false,
      wakes: new Set<number>(),
    }
    runs.set(run, found)
    return found
  }
  /** The same, with the number of its last event known. `guess`: what the change expects it to be. */
  const journalOf = (run: string, guess: number | undefined): RunState & { last: number } => {
    const found = runOf(run)
    if (found.last !== undefined) return found as RunState & { last: number }
    const was = known.last(run) ?? (isFresh(run) ? 0 : guess)
    if (was === undefined) throw new Unknown()
    const made = { ...found, was, last: was }
    runs.set(run, made)
    return made
  }
  /** A run that this group creates has no events yet. */
  const isFresh = (run: string) => rows.get(`runs ${run}`)?.was === 0

  const change = <T extends object>(map: Map<string, T>, key: string, value: T, next: Partial<T>): void => {
    before.push(() => void map.set(key, value))
    map.set(key, { ...value, ...next })
  }

  const apply = (one: PackedChange): boolean => {
    switch (one.kind) {
      case 'swap': {
        const row = rowOf(one.table, one.id, one.from)
        if (row.now !== one.from || (one.table === 'checkpoints' && !known.isSameAudit)) return false
        change(rows, `${one.table} ${one.id}`, row, { now: row.now + 1, row: one.row })
        return true
      }
      case 'expect':
        return rowOf(one.table, one.id, one.version).now === one.version
      case 'once': {
        const once = onceOf(one.key)
        if (once.was || once.until !== undefined) return false
        change(onces, one.key, once, { until: one.until })
        return true
      }
      case 'open': {
        const account = accountOf(one.account, true)
        if (account.now !== 'none') return false
        change(accounts, one.account, account, { now: { units: one.units, until: one.until } })
        return true
      }
      case 'spend': {
        const account = accountOf(one.account, false)
        if (typeof account.now === 'string') return false
        const left = account.now.units - one.units
        if (left < one.least || left > MOST_UNITS) return false
        change(accounts, one.account, account, { now: { units: left, until: account.now.until } })
        return true
      }
      case 'event': {
        // Most runs that another node tells something have no events yet: held calls. The database checks the number.
        const run = journalOf(one.run, 0)
        const last = run.last + 1
        change(runs, one.run, run as RunState, { last, events: new Map(run.events).set(last, one.text) })
        return true
      }
      case 'wake': {
        const run = runOf(one.run)
        change(runs, one.run, run, { wakes: new Set(run.wakes).add(one.at) })
        return true
      }
      case 'rest': {
        const run = one.cursor >= Number.MAX_SAFE_INTEGER ? runOf(one.run) : journalOf(one.run, one.cursor)
        if ((run.last ?? 0) > one.cursor) return false
        change(runs, one.run, run, { isRested: true, wakes: new Set(one.next === undefined ? [] : [one.next]) })
        return true
      }
      case 'forget': {
        const run = journalOf(one.run, undefined)
        const events = new Map([...run.events].filter(([seq]) => seq > one.through))
        const last = one.through >= run.last ? 0 : run.last
        change(runs, one.run, run as RunState, { last, events, forget: Math.max(run.forget, one.through) })
        return true
      }
      case 'audit': {
        const linked = linkEntry(head, one.parts, digest)
        head = linked.head
        entries.push(linked)
        return true
      }
      case 'sync_later':
        return true
      default:
        return one satisfies never
    }
  }

  return {
    apply,
    undo() {
      for (const restore of before.toReversed()) restore()
      entries = entries.slice(0, marked.entries)
      head = marked.head
    },
    /** The next commit begins. */
    keep() {
      before = []
      marked = { entries: entries.length, head }
    },
    plan: (): Omit<GroupPlan, 'isSyncedLater'> => ({ rows, onces, accounts, runs, entries, head }),
    /** This node remembers entries and keys: if the database lost them, that would look like tampering. */
    isForgettable: () => entries.length === 0 && onces.size === 0,
  }
}
