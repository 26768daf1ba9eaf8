import type { ServerStatus } from '../adapters/upstream/tool-server-status.ts'
import type { ScrubText } from './scrub-text.ts'

/** How many lines of its stderr are shown with a server's state. */
const LINES = 20
/** A key that is longer than a line cannot be recognized by its line. */
const PART_OF_A_KEY = /^\s*[\w+/=-]{40,}\s*$/

/** A server's state as people may see it: what the server itself wrote may contain anybody's secrets. */
export function serverReporter(scrub: ScrubText): (status: ServerStatus) => ServerStatus {
  const withoutSecrets = (line: string): string => (PART_OF_A_KEY.test(line) ? '[REDACTED]' : scrub(line))
  // The state is read for every search, and changes rarely.
  const known = new WeakMap<readonly string[], readonly string[]>()
  return (status) => {
    const stderr = known.get(status.stderr) ?? status.stderr.slice(-LINES).map(withoutSecrets)
    known.set(status.stderr, stderr)
    const { last_failure } = status
    return { ...status, stderr, ...(last_failure === undefined ? {} : { last_failure: scrub(last_failure) }) }
  }
}
