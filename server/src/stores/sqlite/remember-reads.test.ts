import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PauseRow } from '../../contract/pause.ts'
import type { Change, Ledger, Shelves } from '../../commands/ports.ts'
import { join } from 'node:path'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { rememberReads } from './remember-reads.ts'

const folder = freshFolders()
const freshFile = () => join(folder(), 'ledger.db')

const SCOPES = ['all', 'caller:agent:one', 'tool:desk__read'] as const
type Scope = (typeof SCOPES)[number]

const pause = (scope: Scope, reason: string): PauseRow => ({
  v: 1,
  scope,
  effect: 'block',
  active: true,
  by: 'admin:ana',
  reason,
  at: 1,
})

const swap = (scope: Scope, from: number | 'absent', reason: string): Change => ({
  kind: 'swap',
  table: 'pauses',
  id: scope,
  from,
  to: pause(scope, reason),
})

test('law: whatever was read before, a read sees every commit that has returned', async () => {
  const store = await openStore(freshFile(), { alone: true })
  const plain = await openStore(freshFile())
  const steps = fc.array(
    fc.record({ scope: fc.constantFrom(...SCOPES), act: fc.constantFrom('row', 'list', 'commit', 'lose') }),
    { minLength: 1, maxLength: 30 },
  )
  let reason = 0
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      for (const { scope, act } of steps) {
        const [ours, theirs] = await Promise.all([store.row('pauses', scope), plain.row('pauses', scope)])
        expect(ours).toEqual(theirs)
        const page = { limit: 10 }
        if (act === 'list') expect(await store.list('pauses', {}, page)).toEqual(await plain.list('pauses', {}, page))
        if (act !== 'commit' && act !== 'lose') continue
        const from = act === 'lose' ? 99_999 : (theirs?.version ?? 'absent')
        const change = swap(scope, from, String((reason += 1)))
        expect(await store.commit([change])).toEqual(await plain.commit([change]))
      }
    }),
    { numRuns: 40 },
  )
  await store.close()
  await plain.close()
})

test('reads that race with a commit are right as soon as it has returned', async () => {
  const store = await openStore(freshFile(), { alone: true })
  await store.commit([swap('all', 'absent', '0')])
  for (let version = 1; version <= 50; version += 1) {
    const committed = store.commit([swap('all', version, String(version))])
    const racing = Array.from({ length: 5 }, () => store.row('pauses', 'all'))
    expect(await committed).toBe('committed')
    expect((await store.row('pauses', 'all'))?.row.reason).toBe(String(version))
    await Promise.all(racing)
  }
  await store.close()
})

test('what could not be read is asked again, and a commit of unknown fate forgets too', async () => {
  let asked = 0
  let fate: () => Promise<'committed'> = () => Promise.resolve('committed')
  const store = rememberReads<Ledger & Pick<Shelves, 'row' | 'list'>>({
    commit: () => fate(),
    row: () => {
      asked += 1
      return asked === 1 ? Promise.reject(new Error('the disk is away')) : Promise.resolve(undefined)
    },
    list: () => Promise.resolve([]),
  })
  await expect(store.row('pauses', 'all')).rejects.toThrow('the disk is away')
  await store.row('pauses', 'all')
  await store.row('pauses', 'all')
  expect(asked).toBe(2)
  fate = () => Promise.reject(new Error('the thread is gone'))
  await expect(store.commit([swap('all', 1, 'x')])).rejects.toThrow('the thread is gone')
  await store.row('pauses', 'all')
  expect(asked).toBe(3)
})
