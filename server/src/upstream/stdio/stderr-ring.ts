import { count } from '../../contract/framed-text.ts'

const LINES = 50
const LOGGED_PER_SECOND = 20

export type StderrRing = { add(line: string): void; lines(): readonly string[] }

/**
 * The end of what a child wrote to stderr. Secrets are removed before a line is kept or logged; a flood is kept but not logged.
 */
export function stderrRing(hide: (line: string) => string, log: (line: string) => void, now: () => number): StderrRing {
  const lines: string[] = []
  let second = 0
  let logged = 0
  return {
    add(line) {
      const kept = hide(line)
      lines.push(kept)
      if (lines.length > LINES) lines.shift()
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
    lines: () => [...lines],
  }
}
