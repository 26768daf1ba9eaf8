/** The exit codes, documented for scripts. */
export const EXIT = {
  ok: 0,
  problem: 1,
  held: 2,
  refused: 3,
  no_candidates: 4,
  failed: 5,
  unknown: 6,
  unsigned: 7,
  usage: 64,
  absent: 69,
  internal: 70,
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

/** The exit code of a toolflow's status. */
export const EXIT_OF_FLOW: Readonly<Record<string, number>> = {
  OK: EXIT.ok,
  ASK: EXIT.held,
  RUNNING: EXIT.held,
  BLOCK: EXIT.refused,
  NO_CANDIDATES: EXIT.no_candidates,
  FAILED: EXIT.failed,
}
