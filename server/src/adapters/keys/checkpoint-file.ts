import { join } from 'node:path'
import type { CheckpointFile } from '../../kernel/ports/audit.ts'
import { StoredAuditState } from '../../kernel/contract/audit.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { readPrivateFile } from './key-files.ts'
import { writeAtomically } from './write-atomically.ts'

export const NEWEST_CHECKPOINT_FILE = 'newest-checkpoint.json'

type State = ReturnType<CheckpointFile['state']>

/**
 * The newest checkpoint beside the keys: somebody who can only write the database cannot change it. An unreadable file is a break
 * of the audit, not an error: the gate starts, signs nothing and says so.
 */
export function openCheckpointFile(folder: string): CheckpointFile {
  const file = join(folder, NEWEST_CHECKPOINT_FILE)
  let state = stateIn(file)
  let writing: Promise<Result<void>> = Promise.resolve(ok(undefined))
  return {
    state: () => state,
    keep(next) {
      state = { ...next, missing: false }
      // One after the other; each writes the newest state.
      writing = writing.then(() => writeAtomically(file, JSON.stringify({ v: 1, ...next } satisfies StoredAuditState)))
      return writing
    },
  }
}

function stateIn(file: string): State {
  const text = readPrivateFile(file)
  if (text.ok && text.value === undefined) return { missing: true }
  const kept = text.ok ? parsed(text.value ?? '') : undefined
  if (kept === undefined) {
    const broken = {
      at: 0,
      stream: 'checkpoints',
      seq: 0,
      says: `\`${NEWEST_CHECKPOINT_FILE}\` in the keys folder cannot be read`,
    }
    return { missing: false, broken }
  }
  const { v: _, ...known } = kept
  return { ...known, missing: false }
}

function parsed(text: string): StoredAuditState | undefined {
  try {
    return StoredAuditState.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
