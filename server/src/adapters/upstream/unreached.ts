const CODES: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
const DEEPEST = 5

/** There was no connection, so nothing was sent. Libraries wrap the error in different ways. */
export function isUnreached(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > DEEPEST) return false
  if ('code' in error && CODES.includes(error.code)) return true
  return 'cause' in error && isUnreached(error.cause, depth + 1)
}
