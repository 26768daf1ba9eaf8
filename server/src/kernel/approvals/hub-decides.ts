import type { ApprovalRow } from '../contract/approval.ts'
import { refuse, type Result } from '../contract/problems.ts'
import type { DecidedElsewhere } from '../ports/decided-elsewhere.ts'

/** The hub of a node; undefined for a gate that decides by itself. */
export type HubDecidesPorts = { readonly hub: Pick<DecidedElsewhere, 'where'> | undefined }

/**
 * INVARIANT: on a node only its hub decides: no role, no token, no edit. Calls that a client of the node runs itself wait for the
 * hub like all others.
 */
export function refuseIfHubDecides({ hub }: HubDecidesPorts, { approval_id }: ApprovalRow): Result<never> | undefined {
  return hub === undefined ? undefined : refuse('hub.decides', { approval_id, hub: hub.where })
}

/** A hub knows only what the node showed about its call: there is nothing to reveal, to edit, or to redeem a token for. */
export function refuseIfFromNode({ approval_id, from_node }: ApprovalRow): Result<never> | undefined {
  return from_node === undefined ? undefined : refuse('node.only_there', { approval_id, node: from_node.node })
}
