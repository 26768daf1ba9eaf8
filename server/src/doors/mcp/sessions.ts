import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../../contract/caller.ts'
import { callerIdentity } from '../../contract/caller-identity.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import { ok, type Result } from '../../contract/problems.ts'
import { invalidKey, invalidThread, isIdempotencyKey, isThreadName } from '../../contract/request-names.ts'
import type { LogLevel } from './log-level.ts'

const MOST_REMEMBERED = 10_000
const LONGEST_NAME = 64

/** Where a client without a session of the older era names the session that a request belongs to. */
export const SESSION_KEY = 'sluice/session'
/** The same as the header `Idempotency-Key`, for clients that cannot set one (stdio). */
export const IDEMPOTENCY_KEY = 'sluice/idempotency-key'

/**
 * Sessions of the older era. A session names a conversation and grants nothing, so it is no secret and nobody keeps it: the name
 * carries a mark of the caller it was made for, and under another caller it is unknown. It outlives a restart. Only that it was ended is
 * stored.
 */
export type Sessions = {
  begin(caller: Caller): string
  /** Whether it was made for this caller. Whether it was ended since, the gate knows. */
  isOf(session: string, caller: Caller): boolean
  /** What a speaker of the older era wants to hear of logs; everything until they say. */
  logLevel(speaker: string): LogLevel
  setLogLevel(speaker: string, level: LogLevel): void
  /** What a client of the older era said it can do; nothing is known of one from before a restart. */
  capabilities(speaker: string): Json | undefined
  setCapabilities(speaker: string, capabilities: Json): void
}

export const threadOfSession = (session: string): string => `mcp:${session}`

/**
 * The session that a request names: its header, else `_meta`. A session of the older era cannot be left by another name in
 * `_meta`. Undefined where the client names none.
 */
export function threadOf(session: string | undefined, meta: JsonObject): Result<string | undefined> {
  if (session !== undefined) return ok(threadOfSession(session))
  const named = meta[SESSION_KEY]
  if (named === undefined || isThreadName(named)) return ok(named)
  return { ok: false, problem: invalidThread() }
}

/** The key of a request. Two that differ are a mistake: nobody can say which one is meant. */
export function idempotencyKeyOf(header: string | undefined, meta: JsonObject): Result<string | undefined> {
  const inMeta = meta[IDEMPOTENCY_KEY]
  const key = inMeta ?? header
  const isOne = header === undefined || inMeta === undefined || header === inMeta
  if (isOne && (key === undefined || isIdempotencyKey(key))) return ok(key)
  return { ok: false, problem: invalidKey() }
}

export function createSessions(): Sessions {
  const levels = new Map<string, LogLevel>()
  const capabilities = new Map<string, Json>()

  return {
    begin(caller) {
      const name = randomBytes(12).toString('base64url')
      return `${name}.${markOf(name, caller)}`
    },
    isOf(session, caller) {
      if (session.length > LONGEST_NAME) return false
      const [name = '', mark, ...more] = session.split('.')
      return mark === markOf(name, caller) && more.length === 0
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
  }
}

const markOf = (name: string, caller: Caller) =>
  hash('sha256', JSON.stringify([name, callerIdentity(caller)]), 'base64url').slice(0, 16)

function forgetOldest(kept: Map<string, unknown>): void {
  if (kept.size < MOST_REMEMBERED) return
  for (const oldest of kept.keys()) {
    kept.delete(oldest)
    return
  }
}
