import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../../contract/caller.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import type { LogLevel } from './log-level.ts'

/** A client without a session that was silent for so long begins a new conversation. */
const IDLE_MS = 30 * 60_000
const MOST_REMEMBERED = 10_000
const LONGEST_NAME = 100

/** Where a client can say by itself which conversation a call belongs to. */
export const SESSION_KEY = 'sluice/session'

/**
 * Sessions of the older era. A session names a conversation and grants nothing, so it is no secret and nobody keeps it: the name
 * carries a mark of the caller it was made for, and under another caller it is unknown. It outlives a restart.
 */
export type Sessions = {
  begin(caller: Caller): string
  isOpen(session: string, caller: Caller): boolean
  end(session: string): void
  /** What a speaker of the older era wants to hear of logs; everything until they say. */
  logLevel(speaker: string): LogLevel
  setLogLevel(speaker: string, level: LogLevel): void
  /** What a client of the older era said it can do; nothing is known of one from before a restart. */
  capabilities(speaker: string): Json | undefined
  setCapabilities(speaker: string, capabilities: Json): void
  /** The conversation a call belongs to: the session, else what `_meta` names, else the caller's calls without a long pause. */
  threadOf(caller: Caller, session: string | undefined, meta: JsonObject): string
}

export const threadOfSession = (session: string): string => `mcp:${session}`

export function createSessions(clock: () => number): Sessions {
  const over = new Set<string>()
  const windows = new Map<string, { readonly thread: string; last: number }>()

  const levels = new Map<string, LogLevel>()
  const capabilities = new Map<string, Json>()

  const windowOf = (caller: Caller): string => {
    const now = clock()
    const open = windows.get(caller.id)
    if (open !== undefined && now - open.last < IDLE_MS) {
      open.last = now
      return open.thread
    }
    const thread = `mcp:${caller.id}:idle-${now.toString(36)}`
    windows.delete(caller.id)
    forgetOldest(windows)
    windows.set(caller.id, { thread, last: now })
    return thread
  }

  return {
    begin(caller) {
      const name = randomBytes(12).toString('base64url')
      return `${name}.${markOf(name, caller)}`
    },
    isOpen(session, caller) {
      const [name = '', mark] = session.split('.', 2)
      return mark === markOf(name, caller) && !over.has(session)
    },
    end(session) {
      forgetOldest(over)
      over.add(session)
    },
    logLevel: (speaker) => levels.get(speaker) ?? 'debug',
    setLogLevel(speaker, level) {
      forgetOldest(levels)
      levels.set(speaker, level)
    },
    capabilities: (speaker) => capabilities.get(speaker),
    setCapabilities(speaker, declared) {
      forgetOldest(capabilities)
      capabilities.set(speaker, declared)
    },
    threadOf(caller, session, meta) {
      if (session !== undefined) return threadOfSession(session)
      const named = meta[SESSION_KEY]
      // Under the caller's own name: nobody can join the conversation of another.
      if (typeof named === 'string' && named !== '') return `mcp:${caller.id}:${named.slice(0, LONGEST_NAME)}`
      return windowOf(caller)
    },
  }
}

const markOf = (name: string, caller: Caller) => hash('sha256', `${name} ${caller.id}`, 'base64url').slice(0, 16)

function forgetOldest(kept: Set<string> | Map<string, unknown>): void {
  if (kept.size < MOST_REMEMBERED) return
  for (const oldest of kept.keys()) {
    kept.delete(oldest)
    return
  }
}
