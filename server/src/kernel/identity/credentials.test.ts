import { expect, test } from 'vitest'
import type { CredentialRow } from '../contract/caller.ts'
import { authenticate, isStillAuthentic } from './credentials.ts'

const KEY = 'sluice_agent_x'
const ROW: CredentialRow = {
  v: 1,
  key_id: 'key_1',
  key_hash: '0'.repeat(64),
  caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
  created_at: 0,
  expires_at: 1_000,
}

/** A store that knows the row without reading, unless it was forgotten. */
function storeWithRow() {
  let now = 0
  let held: { row: CredentialRow; version: number; cursor: number } = { row: ROW, version: 1, cursor: 1 }
  let isKnown = true
  const tables = {
    list: async () => [held],
    row: async () => held,
    known_rows: { row: () => (isKnown ? { held } : undefined), isAbsent: () => false, isLastLabel: () => false },
  }
  const deps = { tables, digest: () => ROW.key_hash, clock: () => now, issuers: {} } as unknown as Parameters<
    typeof authenticate
  >[0] &
    Parameters<typeof isStillAuthentic>[0]
  return {
    deps,
    at: (ms: number) => void (now = ms),
    change: (row: CredentialRow) => void (held = { ...held, row, version: held.version + 1 }),
    forget: () => void (isKnown = false),
  }
}

test('a caller stays authenticated only as long as its key is known to be unchanged and valid', async () => {
  const { deps, at, change, forget } = storeWithRow()
  const authentic = async () => {
    const found = await authenticate(deps, KEY)
    if (!found.ok) throw new Error(found.problem.code)
    return found.value
  }
  const caller = await authentic()
  expect(isStillAuthentic(deps, caller)).toBe(true)
  // Only the object that `authenticate` returned counts, not a copy of it.
  expect(isStillAuthentic(deps, { ...caller })).toBe(false)
  at(1_000)
  expect(isStillAuthentic(deps, caller)).toBe(false)
  at(0)
  change({ ...ROW, caller: { ...ROW.caller, surface: 'search' } })
  expect(isStillAuthentic(deps, caller)).toBe(false)
  const changed = await authentic()
  expect(isStillAuthentic(deps, changed)).toBe(true)
  change({ ...ROW, revoked_at: 1 })
  expect(isStillAuthentic(deps, changed)).toBe(false)
  change(ROW)
  const again = await authentic()
  forget()
  expect(isStillAuthentic(deps, again)).toBe(false)
})
