import type { Checkpoint } from '../contract/audit.ts'
import { ok, type Result } from '../contract/problems.ts'
import { isCheckpointDue, type CheckpointPolicy } from './checkpoint.ts'
import { checkContinuity } from './check-continuity.ts'
import { noteBroken, type NoteBrokenPorts } from './note-broken.ts'
import { newestCheckpoint, writeCheckpoint, type WriteCheckpointPorts } from './write-checkpoint.ts'

export const USUAL_CHECKPOINTS: CheckpointPolicy = { every_entries: 1000, every_ms: 60_000 }

type Written = Result<Checkpoint | 'nothing_new'>
export type CheckpointKeeper = {
  /** Before the first call: compares the ledger with the checkpoint stored with the keys. A mismatch is noted and returned. */
  begin(): Promise<Result<void>>
  /** Signs if it is time to. Called by a timer; a call during another one joins it. */
  tick(): Promise<Written>
  /** Signs what is not signed yet, however little: at shutdown. Afterwards `tick` signs nothing. */
  close(): Promise<Written>
}

/** Keeps the audit signed, according to the policy. A returned checkpoint can be shipped elsewhere. */
export function keepCheckpoints(
  deps: WriteCheckpointPorts & NoteBrokenPorts,
  policy: CheckpointPolicy = USUAL_CHECKPOINTS,
): CheckpointKeeper {
  let running: Promise<Written> | undefined
  let closed = false

  const compare = async (): Promise<Result<void>> => {
    const continued = await checkContinuity(deps)
    if (!continued.ok) {
      await noteBroken(deps, continued.problem)
      return continued
    }
    // The file is created before the first checkpoint, so that a missing file later means that it was removed.
    if (deps.checkpointFile.state().missing) await deps.checkpointFile.keep(await adoptedFrom(deps))
    return ok(undefined)
  }
  const signIfDue = async (): Promise<Written> => {
    const compared = await compare()
    if (!compared.ok) return compared
    const [newest, heads] = await Promise.all([newestCheckpoint(deps.tables), deps.audit.heads()])
    const entries = heads.reduce((sum, head) => sum + head.seq, 0)
    return isCheckpointDue(policy, newest, entries, deps.clock())
      ? noted(await writeCheckpoint(deps))
      : ok('nothing_new')
  }
  const noted = async (written: Written): Promise<Written> => {
    if (!written.ok && written.problem.code === 'audit.broken') await noteBroken(deps, written.problem)
    return written
  }
  return {
    begin: compare,
    tick() {
      if (closed) return Promise.resolve(ok('nothing_new'))
      running ??= signIfDue().finally(() => (running = undefined))
      return running
    },
    async close() {
      closed = true
      // The caller of a failed tick already received its error.
      await running?.catch(() => undefined)
      return noted(await writeCheckpoint(deps))
    },
  }
}

async function adoptedFrom({ tables }: WriteCheckpointPorts): Promise<{ newest?: Checkpoint }> {
  const newest = await newestCheckpoint(tables)
  return newest === undefined ? {} : { newest }
}
