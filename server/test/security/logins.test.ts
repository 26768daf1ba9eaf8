import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import { LOGIN_LIMITS } from '../../src/kernel/identity/login.ts'
import type { SqliteStore } from '../../src/adapters/stores/sqlite/open-sqlite-ledger.ts'
import { freshFolders } from '../../src/adapters/stores/sqlite/fresh-folders.suite.ts'
import { openStore } from '../../src/adapters/stores/sqlite/open-store.suite.ts'
import { join } from 'node:path'
import { logIn, readLogin, type LoginPorts } from '../../src/kernel/identity/logins.ts'

const folder = freshFolders()
const person: Caller = { kind: 'approver', id: 'approver:ana', user: 'ana' }
let store: SqliteStore
let now = 1_000_000
let keys = 0
let deps: LoginPorts

beforeEach(async () => {
  store = await openStore(join(folder(), 'ledger.db'))
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  const newKey = () => `key${(keys += 1)}`
  deps = { tables: store, ledger: store, digest, clock: () => now, ids: { trace: () => 't' }, newKey, strong: 'role' }
  return () => store.close()
})

const secretOf = async (by = person) => {
  const made = await logIn(deps, by, 'key', { current: undefined })
  if (!made.ok) throw new Error(made.problem.code)
  return made.value.secret
}
const isIn = async (secret: string, passive = false) => (await readLogin(deps, secret, passive)).ok

describe('a login', () => {
  test('ends after an hour without a request, and the check of an open stream does not count as a request', async () => {
    const secret = await secretOf()
    now += LOGIN_LIMITS.idle_ms - 1
    expect(await isIn(secret, true)).toBe(true)
    now += 1
    expect(await isIn(secret)).toBe(false)
  })

  test('continues while it is used, but ends after twelve hours', async () => {
    const secret = await secretOf()
    for (let hour = 0; hour < 23; hour += 1) {
      now += LOGIN_LIMITS.idle_ms / 2
      expect(await isIn(secret)).toBe(true)
    }
    now += LOGIN_LIMITS.idle_ms / 2
    expect(await isIn(secret)).toBe(false)
  })

  test('never outlives its key', async () => {
    const secret = await secretOf({ ...person, credential: { expires_at: now + 5_000 } })
    now += 4_999
    expect(await isIn(secret)).toBe(true)
    now += 1
    expect(await isIn(secret)).toBe(false)
  })

  test('a person has a limited number of them: one more ends the oldest', async () => {
    const first = await secretOf()
    for (let count = 1; count < LOGIN_LIMITS.per_user; count += 1) await secretOf()
    expect(await isIn(first)).toBe(true)
    const last = await secretOf()
    expect([await isIn(first), await isIn(last)]).toEqual([false, true])
  })
})
