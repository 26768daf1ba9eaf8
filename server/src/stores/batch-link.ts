import type { Settled } from '../commands/ports/ledger.ts'
import type { Head } from '../core/audit/chain.ts'

/** What became of one commit of a group. `bug`: the change itself is impossible. */
export type GroupOutcome = 'committed' | { readonly lost: number } | { readonly bug: string }

/** The stored stream is not the one that this process left: `seq` is the first entry that is not as it was. */
export type Divergence = { readonly stream: string; readonly seq: number; readonly says: string }

/** Commits that travel together. Batches are numbered from 1. */
export type Batch<Packed> = {
  readonly batch: number
  readonly commits: readonly Packed[]
  readonly now: number
  /** Afterwards what is left of removed texts is overwritten. */
  readonly scrub?: boolean
}
export type BatchReply = {
  /** Commits that follow one in doubt may be missing: they were not written. */
  readonly outcomes: readonly (GroupOutcome | 'unavailable' | 'in_doubt')[]
  readonly fault?: Fault | undefined
  /** Where the chain ends after this batch. */
  readonly tail?: Head | undefined
  readonly diverged?: Divergence | undefined
}
/** What became of the last batch, which had so many commits? */
export type Asked = { readonly ask: number; readonly count: number; readonly now: number }
export type AskedReply =
  { readonly outcomes: readonly Settled[] } | { readonly outcomes?: undefined; readonly fault: Fault }
/** Why commits were unavailable, in the engine's words. */
export type Fault = { readonly says: string; readonly code?: string | undefined }

/** The way to the engine's writer. One batch at a time. */
export type BatchLink<Packed> = {
  /** Rejects when the writer goes away: then nobody knows whether the batch is stored. */
  send(batch: Batch<Packed>): Promise<BatchReply>
  /** Rejects when the writer goes away. */
  ask(asked: Asked): Promise<AskedReply>
  end(): Promise<void>
}

/** A commit of the batch that is not stored: its place in the batch, and the change it lost with, or null where nothing was lost. */
type Exception = readonly [place: number, lost: number | null]

/** The commits of a batch that are not stored, as text. */
export function exceptionsText(outcomes: readonly (GroupOutcome | 'unavailable')[]): string {
  const exceptions = outcomes.flatMap((outcome, place): Exception[] => {
    if (outcome === 'committed') return []
    return [[place, typeof outcome === 'object' && 'lost' in outcome ? outcome.lost : null]]
  })
  return JSON.stringify(exceptions)
}

/** What became of a batch of so many commits, of which `done` were dealt with. */
export function settledBatch(count: number, done: number, exceptions: string): Settled[] {
  const found = new Map(JSON.parse(exceptions) as Exception[])
  return Array.from({ length: count }, (_, place): Settled => {
    if (place >= done) return 'unavailable'
    const lost = found.get(place)
    if (lost === undefined) return 'committed'
    return lost === null ? 'unavailable' : { lost }
  })
}
