import type { Caller } from './caller.ts'

/** The two fields that say who a caller is: the id (which begins with the kind) and the person behind it. */
export type CallerNames = Pick<Caller, 'id' | 'user'>

/**
 * Who a caller is, as one text. Everything the gate keeps per caller is kept under this text: two keys with the same id and
 * the same user are one caller (a rotated key), two keys with the same id and different users are two callers.
 * INVARIANT: injective. Names with spaces, quotes or colons never make two callers one. Stored, so it never changes.
 */
export function callerIdentity({ id, user }: CallerNames): string {
  return JSON.stringify([id, user])
}

export function isSameCaller(one: CallerNames, other: CallerNames): boolean {
  return one.id === other.id && one.user === other.user
}

/** One session of one caller. Callers choose thread names freely, so the same name under two callers is two sessions. */
export function sessionIdentity(caller: CallerNames, thread: string): string {
  return JSON.stringify([caller.id, caller.user, thread])
}
