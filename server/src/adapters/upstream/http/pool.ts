import { createRequire } from 'node:module'
import type { LookupFunction } from 'node:net'
import type { Pool } from 'undici'

// Only this part of the library: all of it takes twice the memory.
const UndiciPool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof Pool

/**
 * Less than the five seconds after which many servers close an idle connection: a request on one that is just being closed would
 * be lost, with an unknown result.
 */
const IDLE_MS = 4_000
const CONNECT_MS = 30_000

/** Persistent connections to one origin, as many as there are concurrent requests, one request at a time on each. */
export function openPool(origin: string, lookup?: LookupFunction): Pool {
  return new UndiciPool(origin, {
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connectTimeout: CONNECT_MS,
    ...(lookup === undefined ? {} : { connect: { lookup } }),
    // Callers have their own timeouts, and streams of events may be silent for any time.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
