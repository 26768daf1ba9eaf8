import type { Caller } from './caller.ts'

/** The two fields that identify a caller: the id (which begins with the kind) and its user. */
export type CallerNames = Pick<Caller, 'id' | 'user'>

/**
 * The identity of a caller, as one key. Everything the gate stores per caller is stored under this key: two keys with the same id
 * and the same user are one caller (a rotated key), two keys with the same id and different users are two callers.
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
