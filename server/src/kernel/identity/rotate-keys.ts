import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'

export type RotatePorts = {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  /** Creates a new active key and uses it from now on, on all nodes. */
  readonly rotate: {
    /** Whether the other nodes would get it. */
    readonly mayRotate: () => Promise<Result<void>>
    readonly token: () => Promise<Result<void>>
    readonly checkpoint: () => Promise<Result<string>>
  }
}

/** Rotates signing keys. Tokens of the previous key stay valid, those of the one before do not; old checkpoints still verify. */
export async function rotateKeys(deps: RotatePorts, by: Caller, which: 'token' | 'checkpoint'): Promise<Result<void>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const may = await deps.rotate.mayRotate()
  if (!may.ok) return may
  const entry = {
    at: deps.clock(),
    type: 'key.rotated' as const,
    actor: by.id,
    trace: deps.ids.trace(),
    subject: { key: which },
  }
  const noted = await deps.ledger.commit([{ kind: 'audit', entry }])
  if (noted !== 'committed') return refuseUnrecorded(noted)
  const rotated = await deps.rotate[which]()
  return rotated.ok ? ok(undefined) : rotated
}
