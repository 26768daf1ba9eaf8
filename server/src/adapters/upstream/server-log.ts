import type { UpstreamLog } from './tool-server-status.ts'

export type ServerLog = {
  say(level: 'info' | 'warn', says: string): void
  /** It works: from now on everything is logged. */
  up(): void
  /** It failed or needs a login: until it works again, only warnings are logged, and none of them twice. */
  down(): void
  /** A person wants to see what happens next. */
  again(): void
}

/** Different lines logged while a server is down. */
const MOST = 20

/**
 * What is logged about one server. INVARIANT: a server that is tried again and again and fails each time adds nothing to the
 * log, whatever it prints.
 */
export function serverLog(server: string, log: UpstreamLog): ServerLog {
  let state: 'starting' | 'up' | 'down' = 'starting'
  let said = new Set<string>()

  function isNews(level: 'info' | 'warn', says: string): boolean {
    if (state === 'up') return true
    if (said.has(says) || (state === 'down' && (level === 'info' || said.size >= MOST))) return false
    if (said.size < MOST) said.add(says)
    return true
  }

  return {
    say: (level, says) => void (isNews(level, says) && log({ level, server, says })),
    up() {
      state = 'up'
      said = new Set()
    },
    down: () => void (state = 'down'),
    again() {
      state = 'starting'
      said = new Set()
    },
  }
}
