/** The result codes that are distinguished (https://sqlite.org/rescode.html). */
export const SQLITE = { BUSY: 5, FULL: 13, TOOBIG: 18, MISMATCH: 20, RANGE: 25 } as const
const CONSTRAINT = { NOTNULL: 1299, DATATYPE: 3091 } as const

/** The extended code of an error that SQLite reported; undefined for any other error. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

export function primaryCode(error: unknown): number | undefined {
  const code = codeOf(error)
  return code === undefined ? undefined : code & 0xff
}

/**
 * Whether a COMMIT that failed with this error has certainly stored nothing: SQLite could not lock the file, or found no room for
 * the last frame, without which a transaction does not count. After any other error, such as a failed fsync, the frames may be
 * there.
 */
export function isSurelyUndone(error: unknown): boolean {
  const code = primaryCode(error)
  return code === SQLITE.BUSY || code === SQLITE.FULL
}

const OF_ITS_OWN: readonly (number | undefined)[] = [
  CONSTRAINT.NOTNULL,
  CONSTRAINT.DATATYPE,
  SQLITE.TOOBIG,
  SQLITE.MISMATCH,
  SQLITE.RANGE,
]

/**
 * Whether an error is caused by a change itself. Then only its commit is undone. Any other error comes from the disk or another
 * process, including a row where there should be none, and fails the whole batch.
 */
export function isOwnFault(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || OF_ITS_OWN.includes(code)
}
