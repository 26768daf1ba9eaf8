import type { DatabaseSync } from 'node:sqlite'
import type { GroupResult } from '../batch-link.ts'
import { changeApplier } from './apply-change.ts'
import { auditTail, type TailMemory } from './audit-tail.ts'
import { onceKeys, type OnceMemory } from './once-keys.ts'
import type { OtherChange, PackedCommit } from './packed-commit.ts'
import type { RowMacs } from '../row-mac.ts'
import { isOwnFault, isSurelyUndone } from './sqlite-error.ts'

/**
 * Puts commits behind one COMMIT and so behind one fsync. A lost one leaves no trace, and the others succeed. Throws errors of
 * the disk or another process; then nothing is stored. `in_doubt`: COMMIT itself failed with this error, and the group may be
 * stored. `note` is called before COMMIT, inside the transaction.
 */
export type ApplyGroup = (
  commits: readonly PackedCommit[],
  now: number,
  note: (outcomes: readonly GroupResult[]) => void,
) => AppliedGroup | { readonly in_doubt: unknown }

/** `cursors`: of the labels that the stored commits inserted, in their order. `touched`: another connection has written before. */
export type AppliedGroup = {
  readonly outcomes: readonly GroupResult[]
  readonly cursors: readonly number[]
  readonly touched?: true
}

/** Whether a commit that lost with this change had written anything before it. */
const hasWritten = (commit: PackedCommit, lost: number): boolean =>
  commit.slice(0, lost).some(([kind]) => kind !== 'expect')

const PURGE_EVERY_MS = 10 * 60_000
/** Remembering longer than requested is always allowed; it covers clocks that disagree. */
const PURGE_GRACE_MS = 60 * 60_000
/** A writer asks about its last batch within seconds. */
const WRITER_KEPT_MS = 7 * 24 * 60 * 60_000

/** What the writing thread remembers, whatever happens to its connection. */
export type WriterMemory = { readonly tail: TailMemory; readonly onces: OnceMemory }

export function groupApplier(db: DatabaseSync, stream: string, memory: WriterMemory, macs: RowMacs): ApplyGroup {
  const tail = auditTail(db, stream, memory.tail, macs)
  const onces = onceKeys(db, stream, memory.onces, macs)
  const { apply, forgetVersions, cursors } = changeApplier(db, tail, onces, macs)
  const begin = db.prepare('BEGIN IMMEDIATE')
  // Changes when another connection has written.
  const version = db.prepare('PRAGMA data_version')
  let seen: unknown
  const end = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const undo = db.prepare('ROLLBACK TO one')
  const purgeAccounts = db.prepare(
    'DELETE FROM accounts WHERE id IN (SELECT id FROM accounts WHERE until < ? LIMIT 1000)',
  )
  const purgeWriters = db.prepare('DELETE FROM writers WHERE at < ?')
  let purgedAt = Number.NEGATIVE_INFINITY

  /** Whether the chain is still the one that this process wrote. */
  let isSame = true
  /** Whether the single-use keys are all there. */
  let hasKeys = true
  /** Whether another connection has written since the last group. */
  let isTouched = false

  // Both are compared in every case.
  const beginGroup = (): void => {
    const now = version.get()?.['data_version']
    const isUntouched = seen !== undefined && seen === now
    seen = now
    isTouched ||= !isUntouched
    const isChain = tail.begin(isUntouched)
    hasKeys = onces.begin(isUntouched)
    isSame = isChain && hasKeys
  }

  // INVARIANT: no key is taken in the transaction that finds others missing: it may be one of them.
  const isStopped = (commit: PackedCommit): boolean => !hasKeys && commit.some(takesKey)

  // INVARIANT: no checkpoint is stored in the transaction that finds the audit changed.
  const firstLost = (commit: PackedCommit): number =>
    commit.findIndex((change) => (!isSame && isCheckpoint(change)) || !apply(change))

  /** Without savepoints, because nearly always no commit is lost. Undefined if there would be something to undo. */
  const applyTogether = (commits: readonly PackedCommit[]): GroupResult[] | undefined => {
    const outcomes: GroupResult[] = []
    try {
      for (const commit of commits) {
        if (isStopped(commit)) {
          outcomes.push('unavailable')
          continue
        }
        const lost = firstLost(commit)
        if (lost === -1) outcomes.push('committed')
        else if (hasWritten(commit, lost)) return undefined
        else outcomes.push({ lost })
      }
      return outcomes
    } catch (error) {
      if (!isOwnFault(error)) throw error
      return undefined
    }
  }

  /** From the start again, each in its own savepoint. */
  const applyApart = (commits: readonly PackedCommit[]): GroupResult[] => {
    rollback.run()
    cursors.length = 0
    tail.drop()
    onces.undo()
    forgetVersions()
    begin.run()
    beginGroup()
    return commits.map(applyOne)
  }

  const applyOne = (commit: PackedCommit): GroupResult => {
    if (isStopped(commit)) return 'unavailable'
    const mark = tail.mark()
    const keys = onces.mark()
    const inserted = cursors.length
    const takeBack = () => {
      undo.run()
      release.run()
      forgetVersions()
      cursors.length = inserted
      tail.back(mark)
      onces.back(keys)
    }
    savepoint.run()
    try {
      const lost = firstLost(commit)
      if (lost === -1) {
        release.run()
        return 'committed'
      }
      takeBack()
      return { lost }
    } catch (error) {
      if (!isOwnFault(error)) throw error
      takeBack()
      return { bug: error instanceof Error ? error.message : String(error) }
    }
  }

  return (commits, now, note) => {
    begin.run()
    forgetVersions()
    cursors.length = 0
    isTouched = false
    try {
      beginGroup()
      const outcomes = applyTogether(commits) ?? applyApart(commits)
      if (now - purgedAt >= PURGE_EVERY_MS) {
        onces.purge(now - PURGE_GRACE_MS)
        purgeAccounts.run(now - PURGE_GRACE_MS)
        purgeWriters.run(now - WRITER_KEPT_MS)
        purgedAt = now
      }
      tail.save()
      onces.save()
      note(outcomes)
      try {
        end.run()
      } catch (error) {
        if (isSurelyUndone(error)) throw error
        return { in_doubt: error }
      }
      tail.committed()
      onces.committed()
      return { outcomes, cursors: [...cursors], ...(isTouched ? { touched: true } : {}) }
    } finally {
      tail.drop()
    }
  }
}

const takesKey = (change: PackedCommit[number]): boolean =>
  change[0] === 'other' && (JSON.parse(change[1]) as OtherChange).kind === 'once'

const isCheckpoint = (change: PackedCommit[number]): boolean => change[0] === 'insert' && change[1] === 'checkpoints'
