import { describe, expect, test } from 'vitest'
import type { Caller } from '../contract/caller.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import { IDLE_MS, idleSession } from './idle-session.ts'

const MINUTE = 60_000
const ana: Caller = { kind: 'agent', id: 'agent:claude', user: 'ana' }

/** Versioned session rows, as two nodes would share them. `meanwhile` happens just before the next commit. */
function sharedStore() {
  const rows = new Map<string, Stored<'sessions'>>()
  let commits = 0
  let meanwhile: (() => Promise<unknown>) | undefined
  const ledger: Ledger = {
    async commit([change]: readonly Change[]) {
      const first = meanwhile
      meanwhile = undefined
      await first?.()
      if (change?.kind !== 'swap' || change.table !== 'sessions') throw new Error('a session is swapped')
      const version = rows.get(change.id)?.version
      if ((version ?? 'absent') !== change.from) return { lost: 0 }
      commits += 1
      rows.set(change.id, { version: (version ?? 0) + 1, row: change.to, cursor: 1 })
      return 'committed'
    },
  }
  const tables = { row: async (_: string, id: string) => rows.get(id) } as unknown as Tables
  return {
    node: (clock: () => number) => ({ tables, ledger, clock }),
    commits: () => commits,
    before: (happens: () => Promise<unknown>) => (meanwhile = happens),
  }
}

async function threads(times: readonly number[], caller = ana) {
  const store = sharedStore()
  const names: string[] = []
  for (const time of times) {
    // A new node each time: nothing is remembered but the row.
    const found = await idleSession(
      store.node(() => time),
      caller,
    )
    if (found.ok) names.push(found.value)
  }
  return { names, commits: store.commits() }
}

describe('the session of a caller that names none', () => {
  test('continues across short pauses, on every node, and ends with a long one', async () => {
    const { names } = await threads([0, 24 * MINUTE, 48 * MINUTE, 48 * MINUTE + IDLE_MS])
    expect(new Set(names.slice(0, 3)).size).toBe(1)
    expect(names[3]).not.toBe(names[0])
  })

  test('costs one commit in five minutes however often the caller calls', async () => {
    const everySecond = Array.from({ length: 15 * 60 }, (_, second) => second * 1000)
    expect((await threads(everySecond)).commits).toBe(3)
  })

  test('belongs to one caller: the same name with another user has its own', async () => {
    const store = sharedStore()
    const at = (now: number) => store.node(() => now)
    const first = await idleSession(at(1), ana)
    const other = await idleSession(at(2), { ...ana, user: 'bob' })
    expect(other).not.toEqual(first)
    expect(await idleSession(at(3), ana)).toEqual(first)
  })

  test('is one session if two nodes begin it at once', async () => {
    const store = sharedStore()
    let second: Promise<unknown> = Promise.resolve()
    store.before(
      () =>
        (second = idleSession(
          store.node(() => 5),
          ana,
        )),
    )
    const first = await idleSession(
      store.node(() => 4),
      ana,
    )
    expect(first).toEqual(await second)
    expect(store.commits()).toBe(1)
  })

  test('is rejected if the store is unavailable', async () => {
    const { tables, clock } = sharedStore().node(() => 0)
    const ledger: Ledger = { commit: async () => 'unavailable' }
    expect(await idleSession({ tables, clock, ledger }, ana)).toMatchObject({ problem: { code: 'audit.unavailable' } })
  })
})
