import type { RunId } from '../contract/ids.ts'
import { isEndedRun } from '../contract/run.ts'
import type { Change } from '../ports/ledger.ts'

/** What is not written: rows, events and outputs of runs that must not be stored, until the run or the process ends. */
export interface VolatileMemory {
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

export function createVolatileMemory(boot: string): VolatileMemory {
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
