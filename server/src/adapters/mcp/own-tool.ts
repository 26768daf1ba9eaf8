import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { z } from 'zod'
import type { McpPorts, OwnTool } from './mcp-ports.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { specOf, type Problem } from '../../kernel/contract/problems.ts'
import type { McpExchange } from './exchange.ts'
import type { RpcResult } from './rpc.ts'

const WRITES = { readOnlyHint: false, openWorldHint: false }
const READS = { readOnlyHint: true, openWorldHint: false }

/** Derives the definition and the check of the arguments from one schema. */
export function own<Args extends z.ZodType>(tool: {
  name: string
  title: string
  description: string
  args: Args
  calls?: boolean
  /** Whether it changes the gate's own state. */
  writes?: boolean
  run(gate: McpPorts, exchange: McpExchange, args: z.infer<Args>): Promise<RpcResult>
}): OwnTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.args, { io: 'input' }) as JsonObject
  const { name, title, description } = tool
  const { calls = false } = tool
  const annotations = calls ? {} : { annotations: tool.writes === true ? WRITES : READS }
  return {
    calls,
    definition: { name, title, description, inputSchema, ...annotations },
    async run(gate, exchange, args) {
      const read = tool.args.safeParse(args)
      if (read.success) return tool.run(gate, exchange, read.data)
      const paths = issueLines(read.error.issues, 'the arguments')
      return failed({ code: 'call.args_invalid', about: { paths: paths.join('; ') } })
    },
  }
}

export const textResult = (...texts: readonly string[]): RpcResult => ({
  result: { content: texts.map((text) => ({ type: 'text', text })), isError: false },
})

export function failed(found: Problem): RpcResult {
  const { code, about } = found
  const { says, do: remedy } = specOf(found)
  const paths = about['paths'] === undefined ? '' : ` (${about['paths']})`
  const message = about['message'] === undefined ? '' : `: ${about['message']}`
  const text = `${says}${message}${paths} [${code}]; ${remedy}.`
  return {
    result: { content: [{ type: 'text', text }], structuredContent: { status: 'refused', code, about }, isError: true },
  }
}
