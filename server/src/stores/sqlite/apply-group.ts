import type { DatabaseSync } from 'node:sqlite'
import type { GroupOutcome } from '../batch-link.ts'
import { changeApplier } from './apply-change.ts'
import { auditTail, type TailMemory } from './audit-tail.ts'
import type { PackedCommit } from './packed-commit.ts'
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
  note: (outcomes: readonly GroupOutcome[]) => void,
) => GroupOutcome[] | { readonly in_doubt: unknown }

/** Whether a commit that lost with this change had written anything before it. */
const hasWritten = (commit: PackedCommit, lost: number): boolean =>
  commit.slice(0, lost).some(([kind]) => kind !== 'expect')

const PURGE_EVERY_MS = 10 * 60_000
/** Remembering longer than requested is always allowed; it covers clocks that disagree. */
const PURGE_GRACE_MS = 60 * 60_000
/** A writer asks about its last batch within seconds. */
const WRITER_KEPT_MS = 7 * 24 * 60 * 60_000

export function groupApplier(db: DatabaseSync, stream: string, memory: TailMemory, macs: RowMacs): ApplyGroup {
  const tail = auditTail(db, stream, memory, macs)
  const { apply, forgetVersions } = changeApplier(db, tail, macs)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const end = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const undo = db.prepare('ROLLBACK TO one')
  const purge = db.prepare('DELETE FROM once WHERE key IN (SELECT key FROM once WHERE until < ? LIMIT 1000)')
  const purgeAccounts = db.prepare(
    'DELETE FROM accounts WHERE id IN (SELECT id FROM accounts WHERE until < ? LIMIT 1000)',
  )
  const purgeWriters = db.prepare('DELETE FROM writers WHERE at < ?')
  let purgedAt = Number.NEGATIVE_INFINITY

  /** Whether the chain is still the one that this process wrote. */
  let isSame = true

  // INVARIANT: no checkpoint is stored in the transaction that finds the audit changed.
  const firstLost = (commit: PackedCommit): number =>
    commit.findIndex((change) => (!isSame && isCheckpoint(change)) || !apply(change))

  /** Without savepoints, because nearly always no commit is lost. Undefined if there would be something to undo. */
  const applyTogether = (commits: readonly PackedCommit[]): GroupOutcome[] | undefined => {
    const outcomes: GroupOutcome[] = []
    try {
      for (const commit of commits) {
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
  const applyApart = (commits: readonly PackedCommit[]): GroupOutcome[] => {
    rollback.run()
    tail.drop()
    forgetVersions()
    begin.run()
    tail.begin()
    return commits.map(applyOne)
  }

  const applyOne = (commit: PackedCommit): GroupOutcome => {
    const mark = tail.mark()
    const takeBack = () => {
      undo.run()
      release.run()
      forgetVersions()
      tail.back(mark)
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
    try {
      isSame = tail.begin()
      const outcomes = applyTogether(commits) ?? applyApart(commits)
      tail.save()
      note(outcomes)
      if (now - purgedAt >= PURGE_EVERY_MS) {
        purge.run(now - PURGE_GRACE_MS)
        purgeAccounts.run(now - PURGE_GRACE_MS)
        purgeWriters.run(now - WRITER_KEPT_MS)
        purgedAt = now
      }
      try {
        end.run()
      } catch (error) {
        if (isSurelyUndone(error)) throw error
        return { in_doubt: error }
      }
      tail.committed()
      return outcomes
    } finally {
      tail.drop()
    }
  }
}

const isCheckpoint = (change: PackedCommit[number]): boolean => change[0] === 'insert' && change[1] === 'checkpoints'
