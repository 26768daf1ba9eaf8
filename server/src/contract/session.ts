/**
 * The session of a caller that names none: it goes on while the caller keeps calling and ends when it was silent for a while.
 * One row for each caller, under its identity.
 */
export type SessionRow = {
  readonly v: 1
  readonly caller: string
  readonly thread: string
  /** When the caller was last seen, some minutes behind. */
  readonly seen_at: number
}
