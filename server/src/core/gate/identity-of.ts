import type { Call } from '../../contract/call.ts'

/**
 * One text for caller, tool and arguments: two calls with the same one are the same call made twice. The thread is no part of
 * it: callers name threads themselves, and a new name must not make an old call new.
 */
export function identityOf({ caller, tool_id, args_hash }: Pick<Call, 'caller' | 'tool_id' | 'args_hash'>): string {
  return JSON.stringify([caller.id, caller.user, tool_id, args_hash])
}

/** The same for a person's no, which also counts for arguments that differ in nothing that can be seen. */
export function rejectionIdentityOf(call: Pick<Call, 'caller' | 'tool_id' | 'args_hash' | 'folded_hash'>): string {
  return identityOf({ ...call, args_hash: call.folded_hash ?? call.args_hash })
}
