import { hubApprovalId } from './hub-ids.ts'
import type { Links } from '../../kernel/attempt/describe-call.ts'
import type { AttachedHub } from '../../kernel/ports/hub.ts'
import type { Digest } from '../../kernel/ports/runtime.ts'

/** Where people decide about a request: for a node, at its hub. */
export const linksOf =
  (digest: Digest, hub: Pick<AttachedHub, 'node' | 'where' | 'url'> | undefined, here: () => string): Links =>
  (approval_id) => {
    const local = `${here()}/#/approvals/${approval_id}`
    if (hub === undefined) return { url: local }
    if (hub.url === undefined) return { url: local, hub: hub.where }
    const there = approval_id === '' ? '' : hubApprovalId(digest, hub.node, approval_id)
    return { url: `${hub.url.replace(/\/$/, '')}/#/approvals/${there}`, hub: hub.where }
  }
