import type { CommandParam, CommandSettings } from './command-settings.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'

/** A declared command as a tool. The operator declares its effects, so there are no hints here. */
export function commandTool(name: string, { title, description, params }: CommandSettings): ToolDefinition {
  const required = Object.entries(params)
    .filter(([, param]) => param.required && param.default === undefined)
    .map(([param]) => param)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(params).map(([param, about]) => [param, schemaOf(about)])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
  }
}

function schemaOf({ required: _required, dash: _dash, items, ...schema }: CommandParam): JsonObject {
  return JSON.parse(
    JSON.stringify({ ...nonEmpty(schema), ...(items === undefined ? {} : { items: nonEmpty(items) }) }),
  ) as JsonObject
}

/** An empty argument is rarely intended, and many programs interpret it differently. */
const nonEmpty = <T extends { readonly type: string; readonly minLength?: number | undefined }>(schema: T): T =>
  schema.type === 'string' && schema.minLength === undefined ? { ...schema, minLength: 1 } : schema
