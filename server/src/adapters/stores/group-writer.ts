import type { RunId } from '../../kernel/contract/ids.ts'
import { Bug, type Result } from '../../kernel/contract/problems.ts'
import type { OwnTail } from '../../kernel/ports/audit.ts'
import type { Change, Committed, CommitId, Ledger, CommitResults, CommitResult } from '../../kernel/ports/ledger.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { OnForged } from './stored-values.ts'
import type { BatchLink, BatchReply, Divergence, EngineFault, Tail } from './batch-link.ts'

export type WakeListener = (run: RunId, at: number | undefined) => void
export type GroupWriter = Ledger &
  CommitResults &
  OwnTail &
  Scrub & { onWake(listener: WakeListener): void; close(): Promise<void> }

/** Overwrites what is left of deleted texts in the files beside the database. */
export type Scrub = { scrub(): Promise<void> }

export type GroupWriterSetup<Packed> = {
  /** A commit as sent to the writer. Throws a Bug for an impossible change. */
  readonly pack: (changes: readonly Change[]) => Packed
  /** Called for each commit that is stored, in their order. `cursors`: of the labels that it and later ones of its batch inserted, if known. */
  readonly onStored?: (changes: readonly Change[], packed: Packed, cursors: Iterator<number> | undefined) => void
  /** Starts a writer: a thread, or a connection. Called again when one has died. */
  readonly link: (last: Tail | undefined) => Promise<Result<BatchLink<Packed>>>
  /** Identifies this writer in the ids of its commits. */
  readonly id: string
  readonly clock: Clock
  readonly onFault: (error: Error) => void
  /** Called when the stored stream is not the one that this process left, before the commits of that batch are answered. */
  readonly onDiverged?: (found: Divergence) => void
  /** Called when another process has written, before the commits of that batch are answered. */
  readonly onTouched?: () => void
  /** Called with the end of the stream after a batch was stored. */
  readonly onTail?: ((tail: Tail) => void) | undefined
  /** Called for single-use keys that no gate with this key stored. */
  readonly onForged?: OnForged
  /** Asked for each commit just before it is sent: one that is refused is `unavailable`. */
  readonly refuses?: ((changes: readonly Change[]) => boolean) | undefined
}

type Waiting = {
  readonly changes: readonly Change[]
  readonly wakes: readonly Wake[]
  resolve(outcome: Committed): void
  reject(error: unknown): void
}
/** A batch, some of whose commits were not answered. */
type Doubt = {
  readonly batch: number
  readonly commits: readonly Waiting[]
  readonly unanswered: ReadonlySet<number>
}
type Wake = Pick<Extract<Change, { kind: 'wake' }>, 'run' | 'at'>

/** Callers ask for an outcome within seconds, so only the newest are kept. */
const MOST_LEARNT = 100_000

/** How many turns of the event loop a batch waits for more commits. */
const MOST_TURNS = 2

/** Collects what arrives while a batch is being written, and sends it as the next one, so batches grow if the disk is slow. */
export function groupWriter<Packed>(deps: GroupWriterSetup<Packed>, first: BatchLink<Packed>): GroupWriter {
  const listeners: WakeListener[] = []
  let link: BatchLink<Packed> | undefined = first
  let tail: Tail | undefined
  let waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let closed = false
  let scrubs: (() => void)[] = []
  let batches = 0
  /** The number of commits of the last batch. */
  let lastSize = 0
  let doubt: Doubt | undefined
  let asking: Promise<void> | undefined
  /** The newest outcomes of commits that were in doubt. */
  const learnt = new Map<CommitId, CommitResult>()
  const idOf = (batch: number, place: number): CommitId => `${deps.id}.${batch}.${place}`

  /** A connection to a live writer; undefined, and reported, if none can be started. */
  const linked = async (): Promise<BatchLink<Packed> | undefined> => {
    if (link !== undefined) return link
    try {
      const started = await deps.link(tail)
      if (started.ok) link = started.value
      else report(errorOf({ says: JSON.stringify(started.problem) }))
    } catch (error) {
      report(gone(error))
    }
    return link
  }

  // INVARIANT: no batch is sent while an earlier one is in doubt, because a writer's row in the file describes only its last
  // batch.
  const drain = async () => {
    while (waiting.length > 0 || scrubs.length > 0) {
      if (waiting.length < lastSize) await gather()
      lastSize = waiting.length
      const commits = deps.refuses === undefined ? waiting : waiting.filter(isSent)
      const scrubbed = scrubs
      waiting = []
      if (doubt !== undefined) await ask()
      const way = doubt === undefined ? (link ?? (await linked())) : undefined
      if (way === undefined) for (const commit of commits) commit.resolve('unavailable')
      else if (commits.length > 0 || scrubbed.length > 0) await sendBatch(way, commits, scrubbed.length > 0)
      if (scrubbed.length === 0) continue
      scrubs = scrubs.filter((done) => !scrubbed.includes(done))
      for (const done of scrubbed) done()
    }
    draining = undefined
  }

  /**
   * Requests that the event loop has yet to process will commit, too. A batch costs as much as several commits, so one that is smaller
   * than the batch before waits a little for them. A single caller never waits.
   */
  const gather = async () => {
    for (let turn = 0; turn < MOST_TURNS && waiting.length < lastSize; turn += 1)
      await new Promise<void>((done) => setImmediate(done))
  }

  const isSent = ({ changes, resolve }: Waiting): boolean => {
    const isRefused = deps.refuses?.(changes) === true
    if (isRefused) resolve('unavailable')
    return !isRefused
  }

  /** Only when they are sent: the texts of commits that wait would have to be copied at each collection of young objects. */
  const packAll = (waited: readonly Waiting[]) => {
    const commits: Waiting[] = []
    const packed: Packed[] = []
    for (const commit of waited) {
      try {
        packed.push(deps.pack(commit.changes))
        commits.push(commit)
      } catch (error) {
        commit.reject(error)
      }
    }
    return { commits, packed }
  }

  const sendBatch = async (way: BatchLink<Packed>, waited: readonly Waiting[], scrub: boolean) => {
    const { commits, packed } = packAll(waited)
    if (commits.length === 0 && !scrub) return
    const batch = (batches += 1)
    try {
      const reply = await way.send({ batch, commits: packed, now: deps.clock(), ...(scrub ? { scrub } : {}) })
      settle(batch, commits, packed, reply)
    } catch (error) {
      link = undefined
      report(gone(error))
      settle(batch, commits, packed, { outcomes: [] })
    }
  }

  /** A commit without an answer is in doubt: the writer died, or COMMIT failed with an unknown result. */
  const settle = (batch: number, commits: readonly Waiting[], packed: readonly Packed[], reply: BatchReply) => {
    const { outcomes, fault, tail: end, diverged, forged = [] } = reply
    tail = end ?? tail
    if (end !== undefined && end.seq > 0) deps.onTail?.(end)
    if (diverged !== undefined) deps.onDiverged?.(diverged)
    if (reply.touched === true) deps.onTouched?.()
    for (const id of forged) deps.onForged?.({ table: 'once', id })
    if (fault !== undefined) report(errorOf(fault))
    const unanswered = new Set<number>()
    const cursors = reply.cursors?.values()
    for (const [place, commit] of commits.entries()) {
      const outcome = outcomes[place] ?? 'in_doubt'
      if (outcome === 'in_doubt') unanswered.add(place)
      else if (typeof outcome === 'object' && 'bug' in outcome) commit.reject(new Bug(outcome.bug))
      else commit.resolve(outcome)
      const stored = packed[place]
      if (outcome !== 'committed' || stored === undefined) continue
      deps.onStored?.(commit.changes, stored, cursors)
      commit.wakes.forEach(announce)
    }
    if (unanswered.size === 0) return
    doubt = { batch, commits, unanswered }
    for (const place of unanswered) commits[place]?.resolve({ in_doubt: idOf(batch, place) })
  }

  /** Asks about the batch in doubt, if there is one. Concurrent callers share the answer. */
  const ask = (): Promise<void> => (asking ??= askOnce().finally(() => (asking = undefined)))
  const askOnce = async () => {
    if (doubt === undefined) return
    const { batch, commits, unanswered } = doubt
    const way = await linked()
    if (way === undefined) return
    try {
      const reply = await way.ask({ ask: batch, count: commits.length, now: deps.clock() })
      if (reply.outcomes === undefined) return report(errorOf(reply.fault))
      for (const place of unanswered) {
        const outcome = reply.outcomes[place] ?? 'unavailable'
        learnt.set(idOf(batch, place), outcome)
        const [oldest] = learnt.size > MOST_LEARNT ? learnt.keys() : []
        if (oldest !== undefined) learnt.delete(oldest)
        if (outcome === 'committed') commits[place]?.wakes.forEach(announce)
      }
      doubt = undefined
    } catch (error) {
      link = undefined
      report(gone(error))
    }
  }

  // Listeners run separately: one that throws must not prevent a commit from being answered.
  const report = (error: Error) => queueMicrotask(() => deps.onFault(error))
  const announce = ({ run, at }: Wake) => {
    for (const listener of listeners) queueMicrotask(() => listener(run, at))
  }

  return {
    commit(changes) {
      // One promise per commit. What `pack` throws rejects it.
      return new Promise((resolve, reject) => {
        if (closed) return resolve('unavailable')
        waiting.push({
          changes,
          wakes: changes.some(isWaking) ? changes.flatMap(wakesOf) : NO_WAKES,
          resolve,
          reject,
        })
        // After the callbacks of this turn of the event loop, so that what arrives together is sent together.
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
    async resultOf(id) {
      const known = learnt.get(id)
      if (known !== undefined) return known
      // A new batch is sent only after the doubt is settled, so nothing else is on the link.
      if (!closed && doubt !== undefined) await ask()
      return learnt.get(id) ?? 'in_doubt'
    },
    ownTail: () => (tail === undefined || tail.seq === 0 ? undefined : tail),
    onWake(listener) {
      listeners.push(listener)
    },
    async close() {
      closed = true
      await draining
      await asking
      await link?.end()
      link = undefined
    },
  }
}

function gone(error: unknown): Bug {
  return error instanceof Bug ? error : new Bug('the writer of the ledger failed', { cause: error })
}

function errorOf({ says, code }: EngineFault): Error {
  return new Error(`the ledger cannot be written: ${says}${code === undefined ? '' : ` (${code})`}`)
}

const NO_WAKES: readonly Wake[] = []
const isWaking = ({ kind }: Change): boolean => kind === 'wake' || kind === 'rest'

/** A run that rests until a time gets a wake-up for that time. */
function wakesOf(change: Change): Wake[] {
  if (change.kind === 'wake') return [change]
  return change.kind === 'rest' && change.next !== undefined ? [{ run: change.run, at: change.next }] : []
}
