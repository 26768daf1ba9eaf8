import type { ServerSettings } from '../contract/server-settings.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import type { ToolReply, UpstreamCall } from './upstream.ts'

/**
 * A tool server that a guest provides inside the gate, as if an operator had configured it. The settings of an operator's own
 * server of that name are kept.
 */
export type GuestServer = {
  readonly name: string
  readonly settings: ServerSettings
  readonly tools: readonly ToolDefinition[]
  /** `mayAct`: whether this node may send anything now. */
  call(call: UpstreamCall, mayAct: () => boolean): Promise<ToolReply>
}
