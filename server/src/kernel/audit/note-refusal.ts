import type { Caller } from '../contract/caller.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'

/** A rejected request: a caller at a route of another kind, or an address with too many wrong keys. */
export type NotedRefusal =
  | { readonly kind: 'forbidden'; readonly caller: Caller; readonly route: string; readonly trace: string }
  | { readonly kind: 'limited'; readonly address: string }

export type NotePorts = { readonly ledger: Ledger; readonly clock: Clock; readonly ids: Ids }

/** Records it: a stolen key can be detected by what it tries. The request is rejected whether or not it could be recorded. */
export async function noteRefusal(deps: NotePorts, refusal: NotedRefusal): Promise<void> {
  await deps.ledger.commit([entryOf(deps, refusal)])
}

function entryOf({ clock, ids }: NotePorts, refusal: NotedRefusal): Change {
  const at = clock()
  if (refusal.kind === 'limited') {
    const subject = { address: refusal.address.slice(0, 64) }
    const about = { code: 'auth.too_many_failures' }
    return { kind: 'audit', entry: { at, type: 'access.limited', actor: 'nobody', trace: ids.trace(), subject, about } }
  }
  const { caller, route, trace } = refusal
  const about = { code: 'auth.forbidden', kind: caller.kind }
  return { kind: 'audit', entry: { at, type: 'access.refused', actor: caller.id, trace, subject: { route }, about } }
}
