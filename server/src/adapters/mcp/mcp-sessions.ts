import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../../kernel/contract/caller.ts'
import { grantIdentity } from '../../kernel/contract/caller-identity.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { invalidKey, invalidThread, isIdempotencyKey, isThreadName } from '../../kernel/contract/request-names.ts'
import type { LogLevel } from './log-level.ts'

const MOST_REMEMBERED = 10_000
const LONGEST_NAME = 64

/** The `_meta` field with which a client without an MCP session names the session of a request. */
export const SESSION_KEY = 'sluice/session'
/** The same as the header `Idempotency-Key`, for clients that cannot set headers (stdio). */
export const IDEMPOTENCY_KEY = 'sluice/idempotency-key'

/**
 * Sessions of clients from before 2026-07-28. A session id names a conversation and grants nothing, so it is not secret and not
 * stored: it contains a hash of its name, its caller and what the caller's credential grants, and is rejected for any other one. It stays valid after a restart. Only ended sessions
 * are stored.
 */
export type McpSessions = {
  begin(caller: Caller): string
  /** Whether it was created for this caller. `gate.relay` knows whether it has ended. */
  isOf(session: string, caller: Caller): boolean
  /** The log level of a client from before 2026-07-28; all levels until it sets one. */
  logLevel(client: Client): LogLevel
  setLogLevel(client: Client, level: LogLevel): void
  /** The declared capabilities of a client from before 2026-07-28; unknown if its session began before a restart. */
  capabilities(client: Client): Json | undefined
  setCapabilities(client: Client, capabilities: Json): void
}

/** Without a session, all connections of one caller count as one client. */
type Client = { readonly caller: Caller; readonly session: string | undefined }

export const threadOfSession = (session: string): string => `mcp:${session}`

/**
 * The session that a request names, in its header or in `_meta`. If there is a session header, `_meta` cannot name another one.
 * Undefined if the client names none.
 */
export function threadOf(session: string | undefined, meta: JsonObject): Result<string | undefined> {
  if (session !== undefined) return ok(threadOfSession(session))
  const named = meta[SESSION_KEY]
  if (named === undefined || isThreadName(named)) return ok(named)
  return { ok: false, problem: invalidThread() }
}

/** The idempotency key of a request. Two different keys are an error, because it is unclear which one is meant. */
export function idempotencyKeyOf(header: string | undefined, meta: JsonObject): Result<string | undefined> {
  const inMeta = meta[IDEMPOTENCY_KEY]
  const key = inMeta ?? header
  const isOne = header === undefined || inMeta === undefined || header === inMeta
  if (isOne && (key === undefined || isIdempotencyKey(key))) return ok(key)
  return { ok: false, problem: invalidKey() }
}

export function createMcpSessions(): McpSessions {
  const levels = new Map<string, LogLevel>()
  const capabilities = new Map<string, Json>()
  /** Sessions whose mark was checked, with whose they are. */
  const checked = new Map<string, string>()
  // A session belongs to one caller, and no name of a session looks like an identity.
  const keyOf = ({ caller, session }: Client) => session ?? grantIdentity(caller)

  return {
    begin(caller) {
      const name = randomBytes(12).toString('base64url')
      return `${name}.${markOf(name, caller)}`
    },
    isOf(session, caller) {
      const known = checked.get(session)
      if (known !== undefined) return known === grantIdentity(caller)
      if (session.length > LONGEST_NAME) return false
      const [name = '', mark, ...more] = session.split('.')
      if (mark !== markOf(name, caller) || more.length > 0) return false
      forgetOldest(checked)
      checked.set(session, grantIdentity(caller))
      return true
    },
    logLevel: (client) => (levels.size === 0 ? 'debug' : (levels.get(keyOf(client)) ?? 'debug')),
    setLogLevel(client, level) {
      forgetOldest(levels)
      levels.set(keyOf(client), level)
    },
    capabilities: (client) => capabilities.get(keyOf(client)),
    setCapabilities(client, declared) {
      forgetOldest(capabilities)
      capabilities.set(keyOf(client), declared)
    },
  }
}

const markOf = (name: string, caller: Caller) =>
  hash('sha256', JSON.stringify([name, grantIdentity(caller)]), 'base64url').slice(0, 16)

function forgetOldest(kept: Map<string, unknown>): void {
  if (kept.size < MOST_REMEMBERED) return
  for (const oldest of kept.keys()) {
    kept.delete(oldest)
    return
  }
}
