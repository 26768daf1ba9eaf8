/**
 * The session of a caller that names none: it continues while the caller keeps calling and ends after it was idle for a while.
 * One row per caller, under its identity.
 */
export type SessionRow = {
  readonly v: 1
  readonly caller: string
  readonly thread: string
  /** When the caller was last seen; updated only every few minutes. */
  readonly seen_at: number
}
