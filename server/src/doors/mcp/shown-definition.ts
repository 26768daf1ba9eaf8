import type { Gate } from '../../commands/gate.ts'
import type { Caller } from '../../contract/caller.ts'
import { inForce, type ToolDefinition } from '../../contract/tool.ts'

/** The tool definition as the client sees it in a list. */
export function definitionOf(gate: Gate, caller: Caller, tool_id: string): ToolDefinition | undefined {
  const row = gate.catalogue.tool(caller, tool_id)?.row
  return row === undefined ? undefined : inForce(row).definition
}
