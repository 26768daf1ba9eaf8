import type { Head } from '../../../kernel/audit/chain.ts'
import { withKey, type OnceSum } from '../once-sum.ts'
import { exceptionsText, type GroupResult } from '../batch-link.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'
import type { Account, DecidedGroup, Known, GroupPlan } from './decide-group.ts'
import type { PackedCommit } from './packed-change.ts'
import { fromPgText } from './pg-text.ts'
import { sumParts, type SumParts } from './once-keys.ts'
import { jobOf } from './run-jobs.ts'

/** Which batch this belongs to, and whose. */
export type GroupOf = {
  readonly writer: string
  readonly boot: string
  readonly batch: number
  /** The outcomes of the commits of the batch before this group. */
  readonly before: readonly GroupResult[]
  readonly now: number
  /** The chain as read under the lock: it is continued, even if the stored head names another entry. */
  readonly isFollowing: boolean
  readonly purge?: { readonly until: number; readonly writers: number } | undefined
  /** The function that enqueues jobs, if wake-ups are also jobs. */
  readonly enqueue?: string | undefined
}

/** Over the newest entry of a stream. */
export const headMac = (macs: RowMacs, { stream, seq, hash }: Head): string => macText(macs.head(stream, seq, hash))

const macText = (mac: Uint8Array): string => Buffer.from(mac).toString('base64')
type List = unknown[]

/** A group as the database's function takes it. Empty lists are omitted. */
export function groupJson(
  { outcomes, plan }: DecidedGroup,
  group: GroupOf,
  known: Head,
  keys: { readonly known: OnceSum; readonly next: OnceSum },
  macs: RowMacs,
): string {
  const done = [...group.before, ...outcomes]
  const lists: Record<string, List> = {}
  const add = (name: string, value: unknown) => void (lists[name] ??= []).push(value)
  addRows(plan, macs, add)
  addUnits(plan, macs, add)
  addRuns(plan, macs, add)
  if (group.enqueue !== undefined) addJobs(plan, add)
  const hasJobs = group.enqueue !== undefined && ['wk_d', 'drive', 'timers'].some((name) => name in lists)
  for (const { head, text } of plan.entries) add('a', [head.seq, head.hash, text])
  return JSON.stringify({
    w: group.writer,
    boot: group.boot,
    b: group.batch,
    d: group.before.length,
    n: done.length,
    x: exceptionsText(done),
    at: group.now,
    hs: known.stream,
    hq: known.seq,
    hh: known.hash,
    ...(group.isFollowing ? { follow: true } : {}),
    nq: plan.head.seq,
    nh: plan.head.hash,
    ...(plan.entries.length === 0 ? {} : { nm: headMac(macs, plan.head) }),
    ...(keys.next === keys.known
      ? {}
      : { keys_n: keys.known.n, keys: sumParts(macs, fromPgText(known.stream), keys.next) }),
    ...lists,
    ...(plan.isSyncedLater ? { later: true } : {}),
    ...(hasJobs ? { jobs: group.enqueue } : {}),
    ...(group.purge === undefined ? {} : { purge: group.purge.until, purge_writers: group.purge.writers }),
  })
}

/** The sum of this stream's keys after a group. */
export function keysAfter({ onces }: GroupPlan, known: OnceSum, macs: RowMacs): OnceSum {
  let next = known
  for (const [key, { until }] of onces)
    if (until !== undefined) next = withKey(next, macs.once(fromPgText(key), until).term)
  return next
}

type Add = (name: string, value: unknown) => void

function addRows({ rows }: GroupPlan, macs: RowMacs, add: Add): void {
  for (const { table, id, was, now, row } of rows.values()) {
    if (row === undefined || now === was) {
      add(`e_${table}`, [id, was])
      continue
    }
    const mac = hasMac(table) ? macText(macs.row(table, fromPgText(id), now, row.text, null)) : null
    add(was === 0 ? `i_${table}` : `u_${table}`, { id, f: was, v: now, body: row.text, mac, ...row.columns })
  }
}

function addUnits({ onces, accounts }: GroupPlan, macs: RowMacs, add: Add): void {
  for (const [key, { was, until }] of onces) {
    if (until === undefined) add('once_e', [key, was])
    else add('once_i', [key, until, macText(macs.once(fromPgText(key), until).mac)])
  }
  for (const [id, { was, now }] of accounts) {
    // A forged one is never written; it can only be repaired by hand.
    if (was === 'forged' || now === 'forged') continue
    add('acc_e', was === 'none' ? [id, null, null] : [id, String(was.units), was.mac])
    if (now === was || now === 'none') continue
    add('acc_w', [id, String(now.units), now.until, macText(macs.account(fromPgText(id), now.units, now.until))])
  }
}

function addRuns({ runs }: GroupPlan, macs: RowMacs, add: Add): void {
  for (const [run, { was, forget, events, isRested, wakes }] of runs) {
    if (was !== undefined) add('run_e', [run, was])
    if (forget > 0) add('ev_d', [run, forget])
    for (const [seq, text] of events) add('ev_i', [run, seq, text, macText(macs.event(fromPgText(run), seq, text))])
    if (isRested) add('wk_d', run)
    for (const at of wakes) add('wk_i', [run, at])
  }
}

function addJobs({ runs }: GroupPlan, add: Add): void {
  for (const [run, { wakes }] of runs)
    for (const at of wakes) {
      const { queue, job } = jobOf(run, at)
      add(queue, job)
    }
}

/** What a group has to read, as the function takes it. */
export function lookJson(commits: readonly PackedCommit[], known: Head, floor?: number): string {
  const rows: Record<string, string[]> = {}
  const onces = new Set<string>()
  const accounts = new Set<string>()
  const runs = new Set<string>()
  for (const change of commits.flatMap(({ changes }) => changes)) {
    if (change.kind === 'swap' || change.kind === 'expect') (rows[change.table] ??= []).push(change.id)
    else if (change.kind === 'once') onces.add(change.key)
    else if (change.kind === 'open' || change.kind === 'spend') accounts.add(change.account)
    else if ('run' in change) runs.add(change.run)
  }
  const { stream, seq } = known
  return JSON.stringify({ rows, onces: [...onces], accounts: [...accounts], runs: [...runs], stream, seq, floor })
}

/** What the function read. */
export type Look = {
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly onces: readonly string[]
  readonly accounts: Readonly<Record<string, readonly [units: string, until: number | null, mac: string | null]>>
  readonly runs: Readonly<Record<string, number>>
  readonly named: readonly [seq: number, hash: string, mac: string | null] | null
  readonly keys: SumParts | null
  readonly last: readonly [number, string] | null
  readonly at: string | null
  /** The hash of the entry that is known beside the keys, if it was asked for. */
  readonly floor: string | null
}

/** Treats a look as complete: what it does not contain does not exist. */
export function knownFrom(look: Look, macs: RowMacs, head: Head, keys: OnceSum, isSameAudit: boolean): Known {
  const onces = new Set(look.onces)
  return {
    head,
    keys,
    isSameAudit,
    version: (table, id) => ownOf(look.rows[table], id) ?? 0,
    once: (key) => onces.has(key),
    account: (id) => accountIn(look, id, macs),
    last: (run) => ownOf(look.runs, run) ?? 0,
  }
}

function accountIn({ accounts }: Pick<Look, 'accounts'>, id: string, macs: RowMacs): Account | 'none' | 'forged' {
  const found = ownOf(accounts, id)
  if (found === undefined) return 'none'
  const [units, until, mac] = found
  const wanted = macText(macs.account(fromPgText(id), BigInt(units), until))
  return mac === wanted ? { units: BigInt(units), until, mac } : 'forged'
}

/** The accounts and journals that a group depends on, if the database found that others had changed some of them. */
export type ChangedByOthers = Pick<Look, 'accounts' | 'runs'> & { readonly asked: readonly string[] }

/** With what the database found. Undefined if an account is forged: that is decided under the lock, and reported. */
export function withChanged(known: Known, changed: ChangedByOthers, macs: RowMacs): Known | undefined {
  const found = new Map(changed.asked.map((id) => [id, accountIn(changed, id, macs)]))
  if ([...found.values()].includes('forged')) return undefined
  return {
    ...known,
    account: (id) => found.get(id) ?? known.account(id),
    last: (run) => ownOf(changed.runs, run) ?? known.last(run),
  }
}

const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
