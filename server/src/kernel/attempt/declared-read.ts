import { onlyReads, type Tool } from '../contract/tool.ts'

/**
 * Whether the operator's own configuration says that this tool only reads. What its server, a pack or the gate's inference says
 * is not enough, and neither is a tool whose effects depend on its arguments.
 */
export function isDeclaredRead({ effects, effects_from, executor, shell }: Tool): boolean {
  const isOfOperator = effects_from === 'configured' && executor === undefined && shell === undefined
  return isOfOperator && onlyReads({ effects })
}

/** What people and agents are told about a declared read. Whether the record waits depends on the store and on the call. */
export const sayDeclaredRead = (tool: Tool): string | undefined =>
  isDeclaredRead(tool)
    ? 'the operator declared that this tool only reads: a call is recorded before it is sent, and the record may become durable together with the outcome'
    : undefined
