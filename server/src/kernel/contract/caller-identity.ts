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

/**
 * The caller and what its credential grants, as one key: for what lives as long as a connection and belongs to everybody who holds an
 * equal credential. A key with the same grant, such as one that replaces it, has the same one.
 */
export function grantIdentity({ id, user, grant, speaks_for_user, flow_role, vault }: Caller): string {
  const { tools, calls } = grant ?? {}
  const granted = [tools?.toSorted(), calls, speaks_for_user, flow_role, vault]
  return granted.every((one) => one === undefined)
    ? callerIdentity({ id, user })
    : JSON.stringify([id, user, granted.map((one) => one ?? null)])
}
