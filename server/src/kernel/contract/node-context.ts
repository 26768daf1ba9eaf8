import { z } from 'zod'

const Name = z.string().min(1).max(512)

/** What the call belongs to at the node. Shown to approvers; it decides nothing. */
export const NodeContext = z.strictObject({
  caller: Name,
  user: z.string().min(1).max(128),
  thread: z.string().min(1).max(512),
  run: Name.optional(),
  kind: Name.optional(),
  step: Name.optional(),
  /** `name@version` of the document that the run carries out. */
  document: Name.optional(),
  protocol: Name.optional(),
  sender: Name.optional(),
  room: Name.optional(),
})
export type NodeContext = z.infer<typeof NodeContext>

/** What the node says about its request, in the packet that approvers see. */
export const PacketNode = z.object({
  name: z.string(),
  tool: z.string(),
  approval_id: z.string(),
  context: NodeContext,
})
export type PacketNode = z.infer<typeof PacketNode>
