import type { Caller, CallerKind } from '../../kernel/contract/caller.ts'
import type { HubKeysAnswer } from './hub.ts'
import { refuse, type Result } from '../../kernel/contract/problems.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { RotateDeps } from '../../kernel/identity/rotate-keys.ts'
import type { HubKeys } from './ports.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'

export type HubKeyDeps = {
  readonly hubKeys: HubKeys
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly rotate: Pick<RotateDeps['rotate'], 'mayRotate'>
}

/** Public keys are not secret, but only known callers may ask. */
const READERS: readonly CallerKind[] = ['node', 'approver', 'reviewer', 'admin']

export const readHubKeys = ({ hubKeys }: HubKeyDeps, { kind }: Caller): Result<HubKeysAnswer> =>
  READERS.includes(kind) ? hubKeys.list() : refuse('auth.forbidden', { needs: READERS.join(', ') })

/** First a key is prepared, so that nodes can pin it; once activated, it signs. Each step is recorded before it is taken. */
export async function changeHubKey(
  deps: HubKeyDeps,
  { kind, id }: Caller,
  step: 'prepare' | 'activate',
): Promise<Result<HubKeysAnswer>> {
  if (kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const listed = deps.hubKeys.list()
  if (!listed.ok) return listed
  if (step === 'activate' && !listed.value.keys.some(({ state }) => state === 'next')) return refuse('hub.no_next_key')
  const may = await deps.rotate.mayRotate()
  if (!may.ok) return may
  const entry = { at: deps.clock(), type: 'hub.key_changed' as const, actor: id, trace: deps.ids.trace(), subject: {} }
  const noted = await deps.ledger.commit([{ kind: 'audit', entry: { ...entry, about: { step } } }])
  if (noted !== 'committed') return refuseUnrecorded(noted)
  return step === 'prepare' ? deps.hubKeys.prepare() : deps.hubKeys.activate()
}
