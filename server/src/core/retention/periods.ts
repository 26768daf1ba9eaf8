const DAY_MS = 86_400_000

/** The day of a time, counted from 1970 in UTC. */
export const dayOf = (at: number): string => String(Math.floor(at / DAY_MS))
