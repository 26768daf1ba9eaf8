import type { ApprovalId, CallId } from '../../kernel/contract/ids.ts'

/**
 * The ids of a node's request in the hub's ledger. Derived, so that a request that is sent twice is stored once, and the node can
 * name it without asking.
 */
export const hubApprovalId = (digest: (text: string) => string, node_key: string, approval_id: string): ApprovalId =>
  `auth_${digest(JSON.stringify(['hub approval', node_key, approval_id])).slice(0, 16)}`

export const hubCallId = (digest: (text: string) => string, node_key: string, approval_id: string): CallId =>
  `call_${digest(JSON.stringify(['hub call', node_key, approval_id])).slice(0, 24)}`

/** The id of a node's tool at the hub. None of the hub's own tools can have it: server names contain no `/`. */
export const nodeToolId = (node: string, tool: string): string => `${node}/${tool}`
