import { randomFillSync } from 'node:crypto'
import type { Ids } from '../kernel/ports/runtime.ts'

/** Fetched in bulk: a call needs some sixty bytes, and each fetch costs more than the bytes do. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** INVARIANT: no byte of the pool is used twice. */
function hex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const from = used
  used += bytes
  return pool.toString('hex', from, used)
}

/** Unguessable ids. A call's begins with its time, so that lists of ids sort chronologically. */
export const randomIds: Ids = {
  call: () => `call_${Date.now().toString(16).padStart(12, '0')}${hex(6)}`,
  approval: () => `auth_${hex(8)}`,
  consent: () => `cons_${hex(12)}`,
  run: () => `run_${hex(8)}`,
  key: () => `key_${hex(8)}`,
  trace: () => hex(16),
  hex,
}
