import type { Call } from '../contract/call.ts'

/**
 * One key for caller, tool and arguments: two calls with the same key are the same call made twice. The thread is not part of it,
 * because callers name threads themselves, and a new name must not make an old call look new.
 */
export function identityOf({ caller, tool_id, args_hash }: Pick<Call, 'caller' | 'tool_id' | 'args_hash'>): string {
  return JSON.stringify([caller.id, caller.user, tool_id, args_hash])
}

/** The same for rejections, which also apply to arguments that differ only invisibly. */
export function rejectionIdentityOf(call: Pick<Call, 'caller' | 'tool_id' | 'args_hash' | 'folded_hash'>): string {
  return call.folded_hash === undefined ? identityOf(call) : identityOf({ ...call, args_hash: call.folded_hash })
}
