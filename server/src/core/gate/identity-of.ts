import type { Call } from '../../contract/call.ts'

/** One text for thread, tool and arguments: two calls with the same one are the same call made twice. */
export function identityOf({ thread, tool_id, args_hash }: Pick<Call, 'thread' | 'tool_id' | 'args_hash'>): string {
  return JSON.stringify([thread, tool_id, args_hash])
}
