import type { CommitResult } from '../../kernel/ports/ledger.ts'
import type { Head } from '../../kernel/audit/chain.ts'

/** The outcome of one commit of a group. `bug`: the change itself is impossible. `unavailable`: it was not stored, for no fault of its own. */
export type GroupResult = 'committed' | 'unavailable' | { readonly lost: number } | { readonly bug: string }

/** The stored stream is not the one that this process left: `seq` is the first entry that differs. */
export type Divergence = { readonly stream: string; readonly seq: number; readonly says: string }

/** Where a stream ends, and how many changes to single-use keys its writer made. */
export type Tail = Head & { readonly once?: number | undefined }

/** Commits that are sent together. Batches are numbered from 1. */
export type Batch<Packed> = {
  readonly batch: number
  readonly commits: readonly Packed[]
  readonly now: number
  /** Afterwards what is left of deleted texts is overwritten. */
  readonly scrub?: boolean
}
export type BatchReply = {
  /** Commits that follow one in doubt may be missing: they were not written. */
  readonly outcomes: readonly (GroupResult | 'in_doubt')[]
  readonly fault?: EngineFault | undefined
  /** The cursors of the labels that the stored commits inserted, in their order. */
  readonly cursors?: readonly number[] | undefined
  /** Another process has written since the batch before. */
  readonly touched?: true | undefined
  /** Where the chain ends after this batch. */
  readonly tail?: Tail | undefined
  readonly diverged?: Divergence | undefined
  /** Single-use keys that were found and that no gate with this key stored. */
  readonly forged?: readonly string[] | undefined
}
/** Asks for the outcome of the last batch, which had `count` commits. */
export type AskedBatch = { readonly ask: number; readonly count: number; readonly now: number }
export type AskedReply =
  { readonly outcomes: readonly CommitResult[] } | { readonly outcomes?: undefined; readonly fault: EngineFault }
/** Why commits were unavailable, in the engine's words. */
export type EngineFault = { readonly says: string; readonly code?: string | undefined }

/** The connection to the engine's writer. One batch at a time. */
export type BatchLink<Packed> = {
  /** Rejects if the writer ends: then it is unknown whether the batch is stored. */
  send(batch: Batch<Packed>): Promise<BatchReply>
  /** Rejects if the writer ends. */
  ask(asked: AskedBatch): Promise<AskedReply>
  end(): Promise<void>
}

/** A commit of the batch that is not stored: its index in the batch, and the change it lost with, or null if nothing was lost. */
type Exception = readonly [place: number, lost: number | null]

/** The commits of a batch that are not stored, as text. */
export function exceptionsText(outcomes: readonly GroupResult[]): string {
  const exceptions = outcomes.flatMap((outcome, place): Exception[] => {
    if (outcome === 'committed') return []
    return [[place, typeof outcome === 'object' && 'lost' in outcome ? outcome.lost : null]]
  })
  return JSON.stringify(exceptions)
}

/** The result of a batch of `count` commits, of which `done` were processed. */
export function batchResults(count: number, done: number, exceptions: string): CommitResult[] {
  const found = new Map(JSON.parse(exceptions) as Exception[])
  return Array.from({ length: count }, (_, place): CommitResult => {
    if (place >= done) return 'unavailable'
    const lost = found.get(place)
    if (lost === undefined) return 'committed'
    return lost === null ? 'unavailable' : { lost }
  })
}
