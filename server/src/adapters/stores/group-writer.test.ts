import { expect, test } from 'vitest'
import type { Change } from '../../kernel/ports/ledger.ts'
import { Bug, ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { runId } from './ledger-fixtures.suite.ts'
import { PRODUCT } from './sqlite/connect.ts'
import { groupWriter } from './group-writer.ts'
import { TEST_ROWS } from './sqlite/open-store.suite.ts'
import type { Batch, BatchReply } from './batch-link.ts'
import { packCommit, type PackedCommit } from './sqlite/packed-commit.ts'
import { linkWorker, type WorkerLink } from './sqlite/worker-link.ts'

const spend = (account: string): Change[] => [{ kind: 'spend', account, units: 1 }]
const all = (batch: Batch<PackedCommit>): BatchReply => ({ outcomes: batch.commits.map(() => 'committed') })
/** A thread that has stored nothing of what is in doubt. */
const NOTHING: WorkerLink['ask'] = async ({ count }) => ({
  outcomes: Array.from({ length: count }, () => 'unavailable'),
})
const linkTo = (send: WorkerLink['send'], ask = NOTHING): WorkerLink => ({ send, ask, end: async () => undefined })

function writerOf(first: WorkerLink, next: () => Promise<Result<WorkerLink>> = () => Promise.reject(new Bug('none'))) {
  const faults: Error[] = []
  const writer = groupWriter(
    {
      pack: (changes) => packCommit(changes, () => undefined),
      id: 'w',
      link: next,
      clock: () => 7,
      onFault: (error) => faults.push(error),
    },
    first,
  )
  return { writer, faults }
}

test('commits that arrive while a batch is in progress are sent as the next one, never in parallel', async () => {
  const batches: number[] = []
  const replies: (() => void)[] = []
  const { writer } = writerOf(
    linkTo((batch) => {
      batches.push(batch.commits.length)
      return new Promise((resolve) => replies.push(() => resolve(all(batch))))
    }),
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = [writer.commit(spend('a')), writer.commit(spend('b'))]
  await turn()
  const second = Array.from({ length: 5 }, () => writer.commit(spend('c')))
  await turn()
  expect(batches).toEqual([2])
  replies.shift()?.()
  expect(await Promise.all(first)).toEqual(['committed', 'committed'])
  await turn()
  expect(batches).toEqual([2, 5])
  replies.shift()?.()
  expect(await Promise.all(second)).toEqual(Array.from({ length: 5 }, () => 'committed'))
})

test('a batch that is smaller than the one before waits up to two turns for more commits; a single caller does not wait', async () => {
  const batches: number[] = []
  const { writer } = writerOf(
    linkTo(async (batch) => {
      batches.push(batch.commits.length)
      return all(batch)
    }),
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await writer.commit(spend('a'))
  for (let count = 0; count < 3; count += 1) {
    const single = writer.commit(spend('a'))
    await turn()
    expect(batches).toHaveLength(count + 2)
    await single
  }
  await Promise.all([writer.commit(spend('b')), writer.commit(spend('c')), writer.commit(spend('d'))])
  const early = writer.commit(spend('e'))
  await turn()
  const late = writer.commit(spend('f'))
  await Promise.all([early, late])
  await writer.commit(spend('g'))
  expect(batches).toEqual([1, 1, 1, 1, 3, 2, 1])
})

test('a commit is packed when it is sent; one that cannot be packed is rejected, and the others of its batch are stored', async () => {
  const packed: string[] = []
  const batches: number[] = []
  const replies: (() => void)[] = []
  const stored: string[] = []
  const nameOf = ([change]: readonly Change[]) => (change?.kind === 'spend' ? change.account : '')
  const writer = groupWriter<string>(
    {
      pack(changes) {
        const name = nameOf(changes)
        packed.push(name)
        if (name === 'impossible') throw new Bug('impossible')
        return name
      },
      onStored: (changes, name) => stored.push(`${nameOf(changes)} as ${name}`),
      id: 'w',
      link: () => Promise.reject(new Bug('none')),
      clock: () => 7,
      onFault: () => {},
    },
    {
      send: ({ commits }) => {
        batches.push(commits.length)
        return new Promise((resolve) =>
          replies.push(() => resolve({ outcomes: commits.map(() => 'committed' as const) })),
        )
      },
      ask: NOTHING,
      end: async () => undefined,
    },
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = writer.commit(spend('a'))
  await turn()
  const bad = writer.commit(spend('impossible'))
  const good = writer.commit(spend('b'))
  await turn()
  expect(packed).toEqual(['a'])
  replies.shift()?.()
  await expect(bad).rejects.toThrow('impossible')
  replies.shift()?.()
  expect(await Promise.all([first, good])).toEqual(['committed', 'committed'])
  expect(batches).toEqual([1, 1])
  expect(stored).toEqual(['a as a', 'b as b'])
})

test('when the thread dies, its batch is in doubt until the next thread reports its outcome', async () => {
  const stored: WorkerLink['ask'] = async () => ({ outcomes: ['committed', { lost: 0 }] })
  const { writer, faults } = writerOf(
    linkTo(() => Promise.reject(new Bug('gone'))),
    async () => ok(linkTo(async (batch) => all(batch), stored)),
  )
  const woken: string[] = []
  writer.onWake((run) => woken.push(run))
  const outcomes = await Promise.all([writer.commit([{ kind: 'wake', run: runId(1) }]), writer.commit(spend('b'))])
  expect(outcomes).toEqual([{ in_doubt: 'w.1.0' }, { in_doubt: 'w.1.1' }])
  expect(faults).toHaveLength(1)
  expect(woken).toEqual([])
  expect(await writer.resultOf('w.1.0')).toBe('committed')
  expect(await writer.resultOf('w.1.1')).toEqual({ lost: 0 })
  expect(await writer.resultOf('w.1.2')).toBe('in_doubt')
  expect(woken).toEqual([runId(1)])
  expect(await writer.commit(spend('c'))).toBe('committed')
  expect(await writer.resultOf('w.1.0')).toBe('committed')
})

test('nothing is sent while a batch is in doubt: new commits are unavailable', async () => {
  let sent = 0
  let disk: 'broken' | 'fine' = 'broken'
  const next = linkTo(
    async (batch) => {
      sent += 1
      return all(batch)
    },
    async () => (disk === 'fine' ? { outcomes: ['committed'] } : { fault: { says: 'no disk' } }),
  )
  const { writer } = writerOf(
    linkTo(() => Promise.reject(new Bug('gone'))),
    async () => ok(next),
  )
  expect(await writer.commit(spend('a'))).toEqual({ in_doubt: 'w.1.0' })
  expect(await writer.commit(spend('b'))).toBe('unavailable')
  expect(await writer.resultOf('w.1.0')).toBe('in_doubt')
  expect(sent).toBe(0)
  disk = 'fine'
  expect(await Promise.all([writer.commit(spend('b')), writer.resultOf('w.1.0')])).toEqual(['committed', 'committed'])
  expect(sent).toBe(1)
})

test('while no new thread can start, commits are unavailable; afterwards they succeed again', async () => {
  let disk: 'broken' | 'gone' | 'fine' = 'broken'
  const { writer, faults } = writerOf(
    linkTo(() => Promise.reject(new Bug('gone'))),
    async () => {
      if (disk === 'gone') throw new Bug('no thread')
      return disk === 'fine'
        ? ok(linkTo(async (batch) => all(batch)))
        : refuse('audit.unavailable', { says: 'no disk' })
    },
  )
  expect(await writer.commit(spend('a'))).toEqual({ in_doubt: 'w.1.0' })
  expect(await writer.commit(spend('a'))).toBe('unavailable')
  expect(faults[1]?.message).toContain('no disk')
  disk = 'gone'
  expect(await writer.commit(spend('a'))).toBe('unavailable')
  expect(await writer.resultOf('w.1.0')).toBe('in_doubt')
  disk = 'fine'
  expect(await writer.commit(spend('a'))).toBe('committed')
  expect(await writer.resultOf('w.1.0')).toBe('unavailable')
})

test('listeners that throw affect no answer and no wake-up', async () => {
  const received: string[] = []
  const uncaught: string[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => uncaught.push(error.message))
  try {
    const onFault = () => {
      throw new Error('fault listener')
    }
    const link = linkTo(async () => ({ outcomes: ['unavailable', 'committed'], fault: { says: 'x' } }))
    const writer = groupWriter(
      {
        pack: (changes) => packCommit(changes, () => undefined),
        id: 'w',
        link: async () => ok(link),
        clock: () => 7,
        onFault,
      },
      link,
    )
    writer.onWake(() => {
      throw new Error('wake listener')
    })
    writer.onWake((run) => received.push(run))
    const wake: Change[] = [{ kind: 'wake', run: runId(1) }]
    expect(await Promise.all([writer.commit(spend('a')), writer.commit(wake)])).toEqual(['unavailable', 'committed'])
    await new Promise((resolve) => setImmediate(resolve))
    await writer.close()
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }
  expect(received).toEqual([runId(1)])
  expect(uncaught).toEqual(['fault listener', 'wake listener'])
})

const script = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)
const SETUP = { file: 'unused', stream: 'main', writer: 'w', rows: TEST_ROWS, tuning: PRODUCT, alone: false }
const START = `import { parentPort as port } from 'node:worker_threads'; port.postMessage({ ok: true });`

test.each([
  ['throws', `port.on('message', () => { throw new Error('boom') })`],
  ['exits', `port.on('message', () => process.exit(1))`],
])('a thread that %s in the middle of a batch rejects it', async (_, code) => {
  const link = await linkWorker(SETUP, script(START + code))
  if (!link.ok) throw new Error('the thread did not start')
  await expect(link.value.send({ batch: 1, commits: [[]], now: 0 })).rejects.toBeInstanceOf(Bug)
  await expect(link.value.send({ batch: 1, commits: [[]], now: 0 })).rejects.toBeInstanceOf(Bug)
})

test('a thread that cannot load rejects its link', async () => {
  await expect(linkWorker(SETUP, script(`throw new Error('boom')`))).rejects.toBeInstanceOf(Bug)
})
