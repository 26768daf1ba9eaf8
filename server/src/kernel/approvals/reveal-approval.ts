import type { HiddenPlace, RevealedPacket } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { shortened, visibleText } from '../contract/visible-text.ts'
import { mayDecide } from './may-decide.ts'
import { auditOf } from '../attempt/call-changes.ts'
import { heldCallOf } from '../attempt/close-call.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock } from '../ports/runtime.ts'
import { mayBeAsked } from './asked-people.ts'
import { refuseIfFromNode } from './hub-decides.ts'
import { packetOf } from './packet-of.ts'
import type { ApprovalReadPorts } from './read-approvals.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'

export type RevealPorts = ApprovalReadPorts & { readonly ledger: Ledger; readonly clock: Clock }

/**
 * What redaction hides in a request, for an approver who needs to see it.
 * INVARIANT: nothing is revealed before it is recorded who looked, at which request and at which places.
 */
export async function revealApproval(
  deps: RevealPorts,
  by: Caller,
  approval_id: string,
): Promise<Result<RevealedPacket>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) return refuse('approval.unknown', { approval_id })
  const { row } = held
  const elsewhere = refuseIfFromNode(row)
  if (elsewhere !== undefined) return elsewhere
  const approver = await mayBeAsked(deps, by, row)
  if (!approver.ok) return approver
  if (row.state !== 'pending') return refuse('approval.not_pending', { approval_id, state: row.state })
  const packet = await packetOf(deps, held)
  const call = await heldCallOf(deps.tables, row)
  const about = { places: placesIn(packet.hidden), digest: packet.digest }
  const entry = auditOf('approval.revealed', { ...call.row, approval_id: row.approval_id }, deps.clock(), {
    actor: by.id,
    about,
  })
  const noted = await deps.ledger.commit([{ kind: 'audit', entry }])
  if (noted !== 'committed') return refuseUnrecorded(noted)
  const preview = row.preview_raw ?? row.preview
  const { visible } = deps.judgement.scanner
  return ok({
    approval_id: row.approval_id,
    hidden: packet.hidden,
    digest: packet.digest,
    proposed_args: await visible(row.canonical_args),
    ...(row.edited_from === undefined ? {} : { edited_from: await visible(row.edited_from) }),
    ...(preview === undefined ? {} : { preview }),
  })
}

const MOST_PLACES = 100

/** Only the names of places: a key of the arguments is redacted here as in the packet. */
function placesIn(hidden: readonly HiddenPlace[]): string[] {
  const named = hidden.slice(0, MOST_PLACES).map(({ in: part, at }) => shortened(`${part} ${visibleText(at)}`, 200))
  return hidden.length > MOST_PLACES ? [...named, `and ${hidden.length - MOST_PLACES} more`] : named
}
