import type { RunId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import { partsOfSession } from '../sessions/label.ts'
import { type RunEvent, isEndedRun } from '../contract/run.ts'
import { expireApproval, expireCall, expireRun } from '../retention/expire-rows.ts'
import type { CallersOfKinds } from '../runs/may-see-run.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Change, Committed, Ledger, CommitResults, Rows, Table } from '../ports/ledger.ts'
import type { KnownRows, Stored, Journal, Searches, Tables } from '../ports/reads.ts'
import type { Clock, Digest } from '../ports/runtime.ts'

/** What is read and written through the memory. */
export type WrappedStore = {
  readonly ledger: Ledger & CommitResults
  readonly tables: Tables
  readonly searches: Searches
  readonly journal: Journal
  readonly artifacts: Artifacts
}

export type VolatilePorts = {
  readonly clock: Clock
  readonly digest: Digest
  readonly boot: string
  readonly kinds: CallersOfKinds
}

/** How many runs are held at a time. */
const MOST_RUNS = 500

/**
 * Wraps the store. For a run that must not be stored, and for its calls, requests and labels, only what remains of expired rows
 * is written, with a reference to the rest in this process's memory. Reads through this wrapper return complete rows.
 * INVARIANT: no text of such a run is in any change that the store gets (src/guests/agent/test/volatile.test.ts).
 */
export function keepVolatile(
  store: WrappedStore,
  deps: VolatilePorts,
): WrappedStore & { readonly isFull: () => boolean; readonly isVolatile: (run: RunId) => boolean } {
  const memory = createVolatileMemory(deps.boot)
  const whole = <T extends Table>(held: Stored<T>): Stored<T> => {
    const row = memory.get((held.row as { readonly in_memory?: string }).in_memory)
    return row === undefined ? held : { ...held, row: row as Rows[T] }
  }
  const wholeKnownRows = (known_rows: KnownRows): KnownRows => ({
    ...known_rows,
    row(table, id) {
      const known = known_rows.row(table, id)
      return known?.held === undefined || !('in_memory' in known.held.row) ? known : undefined
    },
  })
  const commit = (changes: readonly Change[]): Promise<Committed> => {
    for (const change of changes) memory.note(change)
    return memory.size() === 0 ? store.ledger.commit(changes) : commitReduced(changes)
  }
  const commitReduced = async (changes: readonly Change[]): Promise<Committed> => {
    const references: string[] = []
    const written = changes.map((change) => reduced(change, memory, deps, references))
    const outcome = await store.ledger.commit(written)
    const isNotStored = outcome === 'unavailable' || (typeof outcome === 'object' && 'lost' in outcome)
    if (isNotStored) for (const reference of references) memory.drop(reference)
    else for (const change of changes) memory.forget(change)
    return outcome
  }
  return {
    isFull: () => memory.size() >= MOST_RUNS,
    isVolatile: (run) => memory.runOf(run) === run,
    ledger: { commit, resultOf: (id) => store.ledger.resultOf(id) },
    tables: {
      async row(table, id) {
        const held = await store.tables.row(table, id)
        return held === undefined ? undefined : whole(held)
      },
      list: async (table, where, page) => (await store.tables.list(table, where, page)).map(whole),
      count: (table, where) => store.tables.count(table, where),
      ...(store.tables.known_rows === undefined ? {} : { known_rows: wholeKnownRows(store.tables.known_rows) }),
    },
    searches: {
      async search(table, where, page) {
        const found = await store.searches.search(table, where, page)
        return { ...found, items: found.items.map(whole) }
      },
    },
    journal: {
      async events(run, after, limit) {
        const events = await store.journal.events(run, after, limit)
        return events.map(({ seq, event }) => ({
          seq,
          event: (memory.get(event['in_memory']) as RunEvent | undefined) ?? event,
        }))
      },
      due: (...asked) => store.journal.due(...asked),
      nextDue: (now) => store.journal.nextDue(now),
      onWake: (listener) => store.journal.onWake(listener),
    },
    artifacts: volatileArtifacts(store.artifacts, memory, deps.digest),
  }
}

/** What is written of a change. */
function reduced(
  change: Change,
  memory: VolatileMemory,
  { clock, kinds }: VolatilePorts,
  references: string[],
): Change {
  const keep = (run: RunId, value: unknown): { readonly in_memory: string } => {
    const in_memory = memory.put(run, value)
    references.push(in_memory)
    return { in_memory }
  }
  if (change.kind === 'event') {
    const run = memory.runOf(change.run)
    if (run === undefined) return change
    const event = { type: change.event.type, ...keep(run, change.event) }
    return { ...change, event: event as unknown as RunEvent & JsonObject }
  }
  if (change.kind !== 'swap') return change
  const now = clock()
  switch (change.table) {
    case 'runs': {
      const { to } = change
      const run = memory.runOf(to.run_id)
      if (run === undefined) return change
      const { waits_for, ended_day } = to
      const listed = {
        ...(waits_for === undefined ? {} : { waits_for }),
        ...(ended_day === undefined ? {} : { ended_day }),
      }
      return { ...change, to: { ...expireRun(to, now, kinds), ...listed, volatile: true, ...keep(run, to) } }
    }
    case 'calls': {
      const { to } = change
      const run = memory.runOf(to.by_run?.run_id)
      if (run === undefined) return change
      const { due, ended_day } = to
      const listed = { ...(due === undefined ? {} : { due }), ...(ended_day === undefined ? {} : { ended_day }) }
      return { ...change, to: { ...expireCall(to, now), ...listed, ...keep(run, to) } }
    }
    case 'approvals': {
      const run = memory.runOf(change.to.by_run?.run_id)
      return run === undefined
        ? change
        : { ...change, to: { ...expireApproval(change.to, now), ...keep(run, change.to) } }
    }
    case 'labels': {
      const { text, ...label } = change.to
      const run = text === undefined ? undefined : memory.runOf(partsOfSession(label).thread)
      return run === undefined ? change : { ...change, to: { ...label, ...keep(run, change.to) } }
    }
    default:
      return change
  }
}

/** Large outputs of such runs stay in memory too. */
function volatileArtifacts(artifacts: Artifacts, memory: VolatileMemory, digest: Digest): Artifacts {
  return {
    async put(owner, text, by_run) {
      const run = memory.runOf(by_run)
      if (run === undefined) return artifacts.put(owner, text)
      const hash = digest(text)
      memory.putOutput(run, owner, hash, text)
      return hash
    },
    async read(owner, hash, from, length) {
      const text = memory.output(owner, hash)
      if (text === undefined) return artifacts.read(owner, hash, from, length)
      return { text: text.slice(from, from + length), size: text.length }
    },
    expire: (before) => artifacts.expire(before),
    erase: (owner) => artifacts.erase(owner),
  }
}

/** What is not written: rows, events and outputs of runs that must not be stored, until the run or the process ends. */
interface VolatileMemory {
  /** Stores a value for a run. Returns the reference that is written in its place. */
  put(run: RunId, value: unknown): string
  get(reference: unknown): unknown
  drop(reference: string): void
  /** The run that must not be stored, by its own id or by its thread's name. */
  runOf(name: string | undefined): RunId | undefined
  /** Registers a new run of that kind. */
  note(change: Change): void
  /** Drops everything of an ended run. */
  forget(change: Change): void
  /** Outputs that were too large, by owner and digest. */
  putOutput(run: RunId, owner: string, digest: string, text: string): void
  output(owner: string, digest: string): string | undefined
  /** The number of runs. */
  size(): number
}

type Kept = { readonly thread: string; readonly values: Set<string>; readonly outputs: Set<string> }

function createVolatileMemory(boot: string): VolatileMemory {
  const runs = new Map<RunId, Kept>()
  const threads = new Map<string, RunId>()
  const values = new Map<string, unknown>()
  const outputs = new Map<string, string>()
  let count = 0
  const outputKey = (owner: string, digest: string) => JSON.stringify([owner, digest])
  return {
    put(run, value) {
      // The boot id tells other processes whose memory this is.
      const reference = `${boot}/${(count += 1)}`
      values.set(reference, value)
      runs.get(run)?.values.add(reference)
      return reference
    },
    get: (reference) => (typeof reference === 'string' ? values.get(reference) : undefined),
    drop: (reference) => void values.delete(reference),
    runOf: (name) => (name === undefined ? undefined : runs.has(name as RunId) ? (name as RunId) : threads.get(name)),
    note(change) {
      if (change.kind !== 'swap' || change.table !== 'runs' || change.to.volatile !== true) return
      const { run_id, thread = '' } = change.to
      if (runs.has(run_id)) return
      runs.set(run_id, { thread, values: new Set(), outputs: new Set() })
      threads.set(thread, run_id)
    },
    forget(change) {
      if (change.kind !== 'swap' || change.table !== 'runs' || !isEndedRun(change.to)) return
      const kept = runs.get(change.to.run_id)
      if (kept === undefined) return
      for (const reference of kept.values) values.delete(reference)
      for (const key of kept.outputs) outputs.delete(key)
      runs.delete(change.to.run_id)
      threads.delete(kept.thread)
    },
    putOutput(run, owner, digest, text) {
      outputs.set(outputKey(owner, digest), text)
      runs.get(run)?.outputs.add(outputKey(owner, digest))
    },
    output: (owner, digest) => outputs.get(outputKey(owner, digest)),
    size: () => runs.size,
  }
}
