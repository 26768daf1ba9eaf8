import type { ApprovalId, CallId } from '../../contract/ids.ts'

/**
 * The ids of a node's request in the hub's ledger. Derived, so that a request that is sent twice is found and not stored twice, and so
 * that the node can name it without asking.
 */
export const hubApprovalId = (digest: (text: string) => string, node: string, approval_id: string): ApprovalId =>
  `auth_${digest(JSON.stringify(['hub approval', node, approval_id])).slice(0, 16)}`

export const hubCallId = (digest: (text: string) => string, node: string, approval_id: string): CallId =>
  `call_${digest(JSON.stringify(['hub call', node, approval_id])).slice(0, 24)}`

/** A tool of a node, at the hub. No tool of the hub's own can have this id: server names have no `/`. */
export const nodeToolId = (node: string, tool: string): string => `${node}/${tool}`
