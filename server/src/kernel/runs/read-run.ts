import { DECIDING_KINDS, PROGRAM_KINDS, type Caller } from '../contract/caller.ts'
import { callerIdentity, type CallerNames } from '../contract/caller-identity.ts'
import { RunId } from '../contract/ids.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { RunEvent, RunFault, RunGraph, RunKind, RunRow, RunStatus } from '../contract/run.ts'
import type { Stored, Journal, Page, Tables } from '../ports/reads.ts'
import { maySeeRun, ownedRun, ownerOf } from './may-see-run.ts'

export type ReadRunPorts = {
  readonly tables: Tables
  readonly journal: Pick<Journal, 'events'>
  readonly kinds: ReadonlyMap<string, RunKind>
}

/**
 * What is shown of a run.
 * INVARIANT: nothing of its state, its result or the bodies of its events: they may contain private text.
 */
export type RunView = Pick<RunRow, 'run_id' | 'kind' | 'status' | 'created_at' | 'timers'> &
  Partial<Pick<RunRow, 'thread' | 'parent' | 'document' | 'waits_for' | 'ended_at'>> & {
    readonly owner?: CallerNames
    /** The kinds of the effects in progress. */
    readonly executing: readonly string[]
    /** The reason only for approvers: it is the text of an error. */
    readonly fault?: Omit<RunFault, 'says'> & { readonly says?: string }
  }
export type RunsPage = { readonly items: readonly RunView[]; readonly next?: number }

/** One event of a journal: what happened, to which effect, timer, call or run, and when, if known. */
export type RunEventView = { readonly seq: number; readonly type: string } & Readonly<
  Partial<Record<'key' | 'name' | 'call_id' | 'approval_id' | 'run_id' | 'by', string> & { at: number }>
>
export type RunDetails = RunView & {
  readonly events: readonly RunEventView[]
  /** For a kind that follows a table. An event whose `key` ends with the id of a node happened there. */
  readonly graph?: RunGraph
  /** The `after` of the next page of events. */
  readonly next?: number
}

export type RunFilter = {
  readonly status?: RunStatus
  readonly kind?: string
  readonly thread?: string
  readonly parent?: RunId
  /** The id of the caller that owns it, and that caller's user. */
  readonly owner?: string
  readonly user?: string
}

/** Runs, newest first, as far as the caller may see them. A page may have fewer than its limit and still have a next one. */
export async function listRuns(
  { tables, kinds }: Pick<ReadRunPorts, 'tables' | 'kinds'>,
  caller: Caller,
  { owner, user, ...where }: RunFilter,
  page: Page,
): Promise<RunsPage> {
  const owned = PROGRAM_KINDS.includes(caller.kind)
    ? { owner: callerIdentity(caller) }
    : owner === undefined || user === undefined
      ? {}
      : { owner: callerIdentity({ id: owner, user }) }
  const held = await tables.list('runs', { ...where, ...owned }, { ...page, newest_first: true })
  const last = held.length === page.limit ? held.at(-1) : undefined
  const isAsked = ({ row }: Stored<'runs'>) => {
    const names = ownerOf(row)
    return (owner === undefined || names?.id === owner) && (user === undefined || names?.user === user)
  }
  const items = held
    .filter((one) => isAsked(one) && maySeeRun(caller, ownedRun(kinds, one.row)))
    .map(({ row }) => viewOf(caller, row))
  return { items, ...(last === undefined ? {} : { next: last.cursor }) }
}

/** One run and a page of its journal. */
export async function readRun(
  deps: ReadRunPorts,
  caller: Caller,
  run_id: string,
  page: Page,
): Promise<Result<RunDetails>> {
  const held = await visibleRun(deps, caller, run_id)
  if (held === undefined) return refuse('run.unknown', { run_id })
  const { row } = held
  const events = await deps.journal.events(row.run_id, page.after ?? 0, page.limit)
  const last = events.length === page.limit ? events.at(-1) : undefined
  const kind = deps.kinds.get(row.kind)
  const graph = row.expired_at === undefined ? (kind?.graphOf?.(row.state) ?? kind?.graph) : kind?.graph
  return ok({
    ...viewOf(caller, row),
    ...(graph === undefined ? {} : { graph }),
    events: events.map(({ seq, event }) => eventView(seq, event)),
    ...(last === undefined ? {} : { next: last.seq }),
  })
}

/** Undefined if there is none, or if this caller may not see it. */
export async function visibleRun(
  { tables, kinds }: Pick<ReadRunPorts, 'tables' | 'kinds'>,
  caller: Caller,
  run_id: string,
): Promise<Stored<'runs'> | undefined> {
  const held = RunId.safeParse(run_id).success ? await tables.row('runs', run_id) : undefined
  return held !== undefined && maySeeRun(caller, ownedRun(kinds, held.row)) ? held : undefined
}

const SHOWN = ['thread', 'parent', 'document', 'waits_for', 'ended_at'] as const

export function viewOf(caller: Caller, row: RunRow): RunView {
  const { run_id, kind, status, created_at, timers, executing, fault } = row
  const owner = ownerOf(row)
  const more = SHOWN.filter((name) => row[name] !== undefined).map((name) => [name, row[name]])
  return {
    run_id,
    kind,
    status,
    created_at,
    timers,
    executing: executing.map((effect) => effect.kind),
    ...(owner === undefined ? {} : { owner }),
    ...(Object.fromEntries(more) as Partial<Pick<RunRow, (typeof SHOWN)[number]>>),
    ...(fault === undefined ? {} : { fault: faultView(caller, fault) }),
  }
}

function faultView({ kind }: Caller, { says, ...fault }: RunFault): NonNullable<RunView['fault']> {
  return DECIDING_KINDS.includes(kind) ? { ...fault, says } : fault
}

const NAMES = ['key', 'name', 'call_id', 'approval_id', 'run_id', 'by'] as const
const LONGEST_NAME = 200

function eventView(seq: number, event: RunEvent): RunEventView {
  const shown = NAMES.flatMap((name) => {
    const value = event[name]
    return typeof value === 'string' ? [[name, value.slice(0, LONGEST_NAME)]] : []
  })
  const at = event['now']
  return {
    seq,
    type: event.type,
    ...(Object.fromEntries(shown) as Partial<Record<(typeof NAMES)[number], string>>),
    ...(typeof at === 'number' ? { at } : {}),
  }
}
