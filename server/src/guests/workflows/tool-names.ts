import { SEND_TOOL_ID } from '../../kernel/contract/message-tool.ts'

/** Tools of the gate itself, which have no server. */
export const BUILT_IN_TOOLS = ['artifact_read', 'artifact_grep'] as const

const DOTTED = /^mcp\.([a-z0-9][a-z0-9-]{0,31})\.(\S+)$/
const PLAIN = /^[a-z0-9][a-z0-9-]{0,31}__\S+$/

/** `server__tool`; `mcp.server.tool` is the same; a built-in has a bare name. Undefined for anything else. */
export function toolIdOf(tool: string): string | undefined {
  const dotted = DOTTED.exec(tool)
  const id = dotted === null ? tool : `${dotted[1] ?? ''}__${dotted[2] ?? ''}`
  // Messages have their own step, which looks up their target.
  if (id === SEND_TOOL_ID) return undefined
  return PLAIN.test(id) || BUILT_IN_TOOLS.some((name) => name === id) ? id : undefined
}
