import { expect, test } from 'vitest'
import type { Change } from '../../commands/ports.ts'
import { Bug, ok, refuse, type Result } from '../../contract/problems.ts'
import { runId } from '../ledger-fixtures.suite.ts'
import { PRODUCT } from './connect.ts'
import { groupWriter } from './group-writer.ts'
import { linkWorker, type Batch, type BatchReply, type WorkerLink } from './worker-link.ts'

const spend = (account: string): Change[] => [{ kind: 'spend', account, units: 1 }]
const all = (batch: Batch): BatchReply => ({ outcomes: batch.commits.map(() => 'committed') })
const linkTo = (send: WorkerLink['send']): WorkerLink => ({ send, end: async () => undefined })

function writerOf(first: WorkerLink, next: () => Promise<Result<WorkerLink>> = () => Promise.reject(new Bug('none'))) {
  const faults: Error[] = []
  const writer = groupWriter({ link: next, clock: () => 7, onFault: (error) => faults.push(error) }, first)
  return { writer, faults }
}

test('what arrives while a batch is under way travels as the next one, never beside it', async () => {
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

test('when the thread dies, its batch is nobody`s to judge, and the next goes to a new thread', async () => {
  const { writer, faults } = writerOf(
    linkTo(() => Promise.reject(new Bug('gone'))),
    async () => ok(linkTo(async (batch) => all(batch))),
  )
  const outcomes = await Promise.allSettled([writer.commit(spend('a')), writer.commit(spend('b'))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(faults).toHaveLength(1)
  expect(await writer.commit(spend('c'))).toBe('committed')
})

test('while no new thread can start, commits are unavailable; then they are not', async () => {
  let disk: 'broken' | 'fine' = 'broken'
  const { writer, faults } = writerOf(
    linkTo(() => Promise.reject(new Bug('gone'))),
    async () =>
      disk === 'fine' ? ok(linkTo(async (batch) => all(batch))) : refuse('audit.unavailable', { says: 'no disk' }),
  )
  await expect(writer.commit(spend('a'))).rejects.toBeInstanceOf(Bug)
  expect(await writer.commit(spend('a'))).toBe('unavailable')
  expect(faults[1]?.message).toContain('no disk')
  disk = 'fine'
  expect(await writer.commit(spend('a'))).toBe('committed')
})

test('listeners that throw take nobody`s answer or wake-up away', async () => {
  const heard: string[] = []
  const uncaught: string[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => uncaught.push(error.message))
  try {
    const onFault = () => {
      throw new Error('fault listener')
    }
    const link = linkTo(async () => ({ outcomes: ['unavailable', 'committed'], fault: { says: 'x' } }))
    const writer = groupWriter({ link: async () => ok(link), clock: () => 7, onFault }, link)
    writer.onWake(() => {
      throw new Error('wake listener')
    })
    writer.onWake((run) => heard.push(run))
    const wake: Change[] = [{ kind: 'wake', run: runId(1) }]
    expect(await Promise.all([writer.commit(spend('a')), writer.commit(wake)])).toEqual(['unavailable', 'committed'])
    await new Promise((resolve) => setImmediate(resolve))
    await writer.close()
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }
  expect(heard).toEqual([runId(1)])
  expect(uncaught).toEqual(['fault listener', 'wake listener'])
})

const script = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)
const SETUP = { file: 'unused', stream: 'main', tuning: PRODUCT, alone: false }
const START = `import { parentPort as port } from 'node:worker_threads'; port.postMessage({ ok: true });`

test.each([
  ['throws', `port.on('message', () => { throw new Error('boom') })`],
  ['exits', `port.on('message', () => process.exit(1))`],
])('a thread that %s in the middle of a batch rejects it', async (_, code) => {
  const link = await linkWorker(SETUP, script(START + code))
  if (!link.ok) throw new Error('the thread did not start')
  await expect(link.value.send({ commits: [[]], now: 0 })).rejects.toBeInstanceOf(Bug)
  await expect(link.value.send({ commits: [[]], now: 0 })).rejects.toBeInstanceOf(Bug)
})

test('a thread that cannot load rejects its link', async () => {
  await expect(linkWorker(SETUP, script(`throw new Error('boom')`))).rejects.toBeInstanceOf(Bug)
})
