/** What a script can rely on. */
export const EXIT = {
  ok: 0,
  problem: 1,
  held: 2,
  refused: 3,
  failed: 5,
  unknown: 6,
  usage: 64,
  absent: 69,
} as const

/** The exit code of a call's outcome. */
export const EXIT_OF: Readonly<Record<string, number>> = {
  executed: EXIT.ok,
  previewed: EXIT.ok,
  pending: EXIT.held,
  executing: EXIT.held,
  refused: EXIT.refused,
  failed: EXIT.failed,
  unknown: EXIT.unknown,
}
