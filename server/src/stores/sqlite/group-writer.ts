import type { RunId } from '../../contract/ids.ts'
import { Bug, type Result } from '../../contract/problems.ts'
import type { OwnTail } from '../../commands/audit/audit-ports.ts'
import type { Change, Clock, Committed, Ledger } from '../../commands/ports.ts'
import type { Head } from '../../core/audit/chain.ts'
import type { Divergence } from './audit-tail.ts'
import { packCommit, type PackedCommit } from './packed-commit.ts'
import { writtenRows } from './written-rows.ts'
import type { BatchReply, Fault, WorkerLink } from './worker-link.ts'

export type WakeListener = (run: RunId, at: number | undefined) => void
export type GroupWriter = Ledger & OwnTail & Scrub & { onWake(listener: WakeListener): void; close(): Promise<void> }

/** Writes over what is left of removed texts in the files beside the database. */
export type Scrub = { scrub(): Promise<void> }

export type GroupWriterDeps = {
  /** Starts a thread that writes. Called again when one has died. */
  readonly link: (last: Head | undefined) => Promise<Result<WorkerLink>>
  readonly clock: Clock
  readonly onFault: (error: Error) => void
  /** Told when the stored stream is not the one that this process left, before the commits of that batch are answered. */
  readonly onDiverged?: (found: Divergence) => void
}

type Waiting = {
  readonly changes: readonly Change[]
  readonly packed: PackedCommit
  readonly wakes: readonly Wake[]
  resolve(outcome: Committed): void
  reject(error: Error): void
}
type Wake = Pick<Extract<Change, { kind: 'wake' }>, 'run' | 'at'>

/** Collects what arrives while a batch is being written, and sends it as the next one: the disk sets the pace. */
export function groupWriter(deps: GroupWriterDeps, first: WorkerLink): GroupWriter {
  const listeners: WakeListener[] = []
  const written = writtenRows()
  let link: WorkerLink | undefined = first
  let tail: Head | undefined
  let waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let closed = false
  let scrubs: (() => void)[] = []

  const send = async (commits: readonly PackedCommit[]): Promise<BatchReply> => {
    if (link === undefined) {
      const started = await deps.link(tail)
      if (!started.ok)
        return { outcomes: commits.map(() => 'unavailable'), fault: { says: JSON.stringify(started.problem) } }
      link = started.value
    }
    const scrub = scrubs.length > 0
    return link.send({ commits, now: deps.clock(), ...(scrub ? { scrub } : {}) })
  }

  const drain = async () => {
    while (waiting.length > 0 || scrubs.length > 0) {
      const batch = waiting
      const scrubbed = scrubs
      waiting = []
      try {
        settle(batch, await send(batch.map(({ packed }) => packed)))
      } catch (error) {
        // The thread died in the middle: stored or not, nobody can say, and `unavailable` would claim to know.
        link = undefined
        const bug = error instanceof Bug ? error : new Bug('the thread that writes the ledger failed', { cause: error })
        tell(bug)
        for (const commit of batch) commit.reject(bug)
      }
      scrubs = scrubs.filter((done) => !scrubbed.includes(done))
      for (const done of scrubbed) done()
    }
    draining = undefined
  }

  const settle = (batch: readonly Waiting[], { outcomes, fault, tail: end, diverged }: BatchReply) => {
    tail = end ?? tail
    if (diverged !== undefined) deps.onDiverged?.(diverged)
    if (fault !== undefined) tell(errorOf(fault))
    for (const [index, commit] of batch.entries()) {
      const outcome = outcomes[index] ?? { bug: 'the thread that writes gave no answer' }
      if (typeof outcome === 'object' && 'bug' in outcome) commit.reject(new Bug(outcome.bug))
      else commit.resolve(outcome)
      if (outcome !== 'committed') continue
      written.note(commit.changes, commit.packed)
      for (const wake of commit.wakes) announce(wake)
    }
  }

  // Listeners run on their own: one that throws must not keep a commit from its answer.
  const tell = (error: Error) => queueMicrotask(() => deps.onFault(error))
  const announce = ({ run, at }: Wake) => {
    for (const listener of listeners) queueMicrotask(() => listener(run, at))
  }

  return {
    async commit(changes) {
      const packed = packCommit(changes, written.rowAt)
      if (closed) return 'unavailable'
      return new Promise((resolve, reject) => {
        waiting.push({ changes, packed, wakes: changes.flatMap(wakesOf), resolve, reject })
        // After the callbacks of this turn of the event loop, so that what arrives together travels together.
        draining ??= new Promise<void>((done) => setImmediate(done)).then(drain)
      })
    },
    async scrub() {
      if (closed) return
      await new Promise<void>((done) => {
        scrubs.push(done)
        draining ??= new Promise<void>((go) => setImmediate(go)).then(drain)
      })
    },
    ownTail: () => (tail === undefined || tail.seq === 0 ? undefined : tail),
    onWake(listener) {
      listeners.push(listener)
    },
    async close() {
      closed = true
      await draining
      await link?.end()
      link = undefined
    },
  }
}

function errorOf({ says, code }: Fault): Error {
  return new Error(`the ledger cannot be written: ${says}${code === undefined ? '' : ` (SQLite ${code})`}`)
}

/** A run that rests until a time is woken then, like one that is told to wake. */
function wakesOf(change: Change): Wake[] {
  if (change.kind === 'wake') return [change]
  return change.kind === 'rest' && change.next !== undefined ? [{ run: change.run, at: change.next }] : []
}
