import type { Caller } from '../../contract/caller.ts'

/** A caller's idempotency key as it is stored. Two callers may choose the same key. */
export const scopedKey = (caller: Pick<Caller, 'id'>, key: string): string => `${caller.id} ${key}`
