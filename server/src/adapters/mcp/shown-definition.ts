import type { McpPorts } from './mcp-ports.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { inForce, type ToolDefinition } from '../../kernel/contract/tool.ts'
import type { Era } from './read-message.ts'

/** The tool definition that is in force for the caller. */
export function definitionOf(gate: McpPorts, caller: Caller, tool_id: string): ToolDefinition | undefined {
  const row = gate.toolViews.tool(caller, tool_id)?.row
  return row === undefined ? undefined : inForce(row).definition
}

/** Before 2026-07-28 the output of a tool must be an object; clients reject a list with any other output schema. */
export function definitionFor(definition: ToolDefinition, era: Era): JsonObject {
  const { outputSchema, ...rest } = definition
  return outputSchema === undefined || (era === 'old' && outputSchema['type'] !== 'object')
    ? { ...rest }
    : { ...rest, outputSchema }
}

/** Whether the client was shown an output schema: then it rejects structured content of any other shape, unless it is an error. */
export function showsOutputSchema(gate: McpPorts, caller: Caller, tool_id: string, era: Era): boolean {
  const definition = definitionOf(gate, caller, tool_id)
  return definition !== undefined && definitionFor(definition, era)['outputSchema'] !== undefined
}
