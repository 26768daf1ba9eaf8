import { problem, type Problem } from '../contract/problems.ts'
import type { Change, Committed, CommitId, InDoubt, Ledger, CommitResults, CommitResult } from '../ports/ledger.ts'
import { isInDoubt } from './unrecorded.ts'

/** Commits in doubt, and their outcomes. */
export interface Doubts {
  /** Waits until it is known. `in_doubt` only if the gate stops first. */
  known(id: CommitId): Promise<CommitResult | 'in_doubt'>
}

export type ResolveDoubtsPorts = {
  readonly ledger: Ledger & CommitResults
  /** Calls back after `ms` milliseconds; returns a function that cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** Aborted when the gate stops: then the engine is asked once more. */
  readonly stopping: AbortSignal
  readonly onDoubt: (id: CommitId) => void
}

/** How long a commit in doubt keeps its caller waiting. */
const WAIT_MS = 5_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 2_000

/**
 * Wraps the ledger and asks about every commit in doubt until its outcome is known. The committer waits for a limited time, and then gets
 * `in_doubt`.
 * INVARIANT: while any commit is in doubt, `closedBy` names the reason why the gate accepts no calls.
 */
export function resolveDoubts(deps: ResolveDoubtsPorts): Ledger & Doubts & { closedBy(): Problem | undefined } {
  const open = new Map<CommitId, Promise<CommitResult | 'in_doubt'>>()

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        forget()
        deps.stopping.removeEventListener('abort', wake)
        resolve()
      }
      const forget = deps.after(ms, wake)
      deps.stopping.addEventListener('abort', wake)
    })

  const ask = async (id: CommitId): Promise<CommitResult | 'in_doubt'> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const isLast = deps.stopping.aborted
      const word = await deps.ledger.resultOf(id).catch(() => 'in_doubt' as const)
      if (word !== 'in_doubt' || isLast) return word
      await sleep(pause)
    }
  }

  const known = (id: CommitId): Promise<CommitResult | 'in_doubt'> => {
    const asked = open.get(id)
    if (asked !== undefined) return asked
    const asking = ask(id).finally(() => void open.delete(id))
    open.set(id, asking)
    return asking
  }

  const waitForIt = async (word: InDoubt): Promise<Committed> => {
    deps.onDoubt(word.in_doubt)
    let forget = () => {}
    const patience = new Promise<'in_doubt'>((resolve) => {
      forget = deps.after(WAIT_MS, () => resolve('in_doubt'))
    })
    const found = await Promise.race([known(word.in_doubt), patience])
    forget()
    return found === 'in_doubt' ? word : found
  }
  const settled = (word: Committed): Committed | Promise<Committed> => (isInDoubt(word) ? waitForIt(word) : word)

  return {
    commit: (changes: readonly Change[]) => deps.ledger.commit(changes).then(settled),
    known,
    closedBy: () => (open.size === 0 ? undefined : problem('audit.in_doubt')),
  }
}
