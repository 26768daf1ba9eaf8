import { hubApprovalId } from '../../core/hub/hub-ids.ts'
import type { Links } from '../calls/describe-call.ts'
import type { AttachedHub } from '../ports/hub.ts'
import type { Digest } from '../ports/runtime.ts'

/** Where people decide about a request: of a node, at its hub. */
export const linksOf =
  (digest: Digest, hub: Pick<AttachedHub, 'node' | 'url'> | undefined, here: () => string): Links =>
  (approval_id) => {
    if (hub?.url === undefined) return `${here()}/#/approvals/${approval_id}`
    const there = approval_id === '' ? '' : hubApprovalId(digest, hub.node, approval_id)
    return `${hub.url.replace(/\/$/, '')}/#/approvals/${there}`
  }
