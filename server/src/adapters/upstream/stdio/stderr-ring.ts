import { count } from '../../../kernel/contract/framed-text.ts'

const LINES = 50
const LOGGED_PER_SECOND = 20

export type StderrRing = {
  add(line: string): void
  /** A new run begins: its first line replaces those of the run before. */
  begin(): void
  /** The same array until a line is added. */
  lines(): readonly string[]
}

/**
 * The end of what the last run of a child wrote to stderr. Secrets are removed before a line is kept or logged; a flood is kept
 * but not logged.
 */
export function stderrRing(hide: (line: string) => string, log: (line: string) => void, now: () => number): StderrRing {
  let lines: readonly string[] = []
  let isNewRun = false
  let second = 0
  let logged = 0
  return {
    add(line) {
      const kept = hide(line)
      lines = [...(isNewRun ? [] : lines), kept].slice(-LINES)
      isNewRun = false
      const at = Math.floor(now() / 1000)
      if (at !== second) {
        if (logged > LOGGED_PER_SECOND)
          log(`not logged, because there were too many: ${count(logged - LOGGED_PER_SECOND, 'more line')}`)
        second = at
        logged = 0
      }
      logged += 1
      if (logged <= LOGGED_PER_SECOND) log(kept)
    },
    begin: () => void (isNewRun = true),
    lines: () => lines,
  }
}
