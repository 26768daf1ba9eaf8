import type { Checkpoint } from '../../contract/audit.ts'
import { ok, type Result } from '../../contract/problems.ts'
import { isCheckpointDue, type CheckpointPolicy } from '../../core/audit/checkpoint.ts'
import { newestCheckpoint, writeCheckpoint, type WriteCheckpointDeps } from './write-checkpoint.ts'

export const USUAL_CHECKPOINTS: CheckpointPolicy = { every_entries: 1000, every_ms: 60_000 }

type Written = Result<Checkpoint | 'nothing_new'>
export type CheckpointKeeper = {
  /** Signs when it is time to. Called by a timer; a call that comes while another is under way joins it. */
  tick(): Promise<Written>
  /** Signs what is not signed yet, however little: at shutdown. Afterwards `tick` signs nothing. */
  close(): Promise<Written>
}

/** Keeps the audit signed, by the policy. Whoever gets a checkpoint back can ship it elsewhere. */
export function keepCheckpoints(
  deps: WriteCheckpointDeps,
  policy: CheckpointPolicy = USUAL_CHECKPOINTS,
): CheckpointKeeper {
  let running: Promise<Written> | undefined
  let closed = false

  const signIfDue = async (): Promise<Written> => {
    const [newest, heads] = await Promise.all([newestCheckpoint(deps.shelves), deps.audit.heads()])
    const entries = heads.reduce((sum, head) => sum + head.seq, 0)
    return isCheckpointDue(policy, newest, entries, deps.clock()) ? writeCheckpoint(deps) : ok('nothing_new')
  }
  return {
    tick() {
      if (closed) return Promise.resolve(ok('nothing_new'))
      running ??= signIfDue().finally(() => (running = undefined))
      return running
    },
    async close() {
      closed = true
      // What a failed tick had to say, its own caller has heard.
      await running?.catch(() => undefined)
      return writeCheckpoint(deps)
    },
  }
}
