import { expect, test } from 'vitest'
import { labelSession, type LabelRow } from '../../kernel/sessions/label.ts'
import type { SessionsPorts } from '../../kernel/ports/sessions.ts'
import { openSessions } from './sessions.ts'

const ANA = { id: 'agent:a', user: 'ana' }
const KEY = labelSession(ANA, 't1')

const label = (at: number, text: string): LabelRow => ({
  v: 1,
  label_id: `l${at}`,
  session: KEY,
  at,
  kind: 'log',
  source: { server: `s${at}` },
  text,
})

/** A store whose labels can be added by anybody, and whose reads can be made to wait. */
function rig(isLastLabel?: (session: string, cursor: number) => boolean) {
  const labels: LabelRow[] = []
  const waiting: (() => void)[] = []
  const state = { lists: 0, holds: false, fails: false }
  const list = async (_table: string, _where: object, { after = 0 }: { readonly after?: number }) => {
    state.lists += 1
    const found = labels.slice(after).map((row, at) => ({ row, version: 1, cursor: after + at + 1 }))
    if (state.holds) await new Promise<void>((resolve) => void waiting.push(resolve))
    if (state.fails) throw new Error('the disk is not available')
    return found
  }
  const tables = {
    list,
    row: async () => undefined,
    ...(isLastLabel === undefined ? {} : { known_rows: { isLastLabel } }),
  }
  const sessions = openSessions({
    tables: tables as unknown as SessionsPorts['tables'],
    artifacts: { read: async () => undefined },
    judgement: { servers: {} },
    yieldWhenDue: async () => {},
  })
  return { sessions, labels, state, release: () => waiting.splice(0).forEach((go) => go()) }
}

test('a label that another node wrote is seen by the next read, and once', async () => {
  const { sessions, labels } = rig()
  labels.push(label(1, 'one'))
  const session = await sessions.read(ANA, 't1')
  expect(session.origins).toHaveLength(1)
  labels.push(label(2, 'two'))
  expect((await sessions.read(ANA, 't1')).origins.map(({ server }) => server)).toEqual(['s1', 's2'])
})

test('a read contains everything that was recorded before it was requested, and concurrent requests share one read', async () => {
  const { sessions, labels, state, release } = rig()
  state.holds = true
  labels.push(label(1, 'one'))
  const first = sessions.read(ANA, 't1')
  await new Promise(setImmediate)
  expect(state.lists).toBe(1)
  labels.push(label(2, 'two'))
  const later = Array.from({ length: 20 }, async () => sessions.read(ANA, 't1'))
  release()
  await first
  state.holds = false
  release()
  for (const session of await Promise.all(later)) expect(session.servers.has('s2')).toBe(true)
  expect(state.lists).toBe(2)
})

test('concurrent requests share one read, which contains what was recorded before the last of them', async () => {
  const { sessions, labels, state } = rig()
  labels.push(label(1, 'one'))
  const first = sessions.read(ANA, 't1')
  sessions.note(ANA, 't1')
  labels.push(label(2, 'two'))
  const last = sessions.read(ANA, 't1')
  for (const session of await Promise.all([first, last])) expect(session.servers.has('s2')).toBe(true)
  expect(state.lists).toBe(1)
})

test('nothing is read if it is known that nothing was added, and a cached end is dropped when a label is added', async () => {
  const { sessions, labels, state } = rig((_, cursor) => cursor === labels.length)
  labels.push(label(1, 'one'))
  await sessions.read(ANA, 't1')
  expect(sessions.read(ANA, 't1')).not.toBeInstanceOf(Promise)
  expect(state.lists).toBe(1)
  labels.push(label(2, 'two'))
  expect((await sessions.read(ANA, 't1')).servers.has('s2')).toBe(true)
})

test('a failed read rejects for all requests that shared it, and the next one starts from the beginning', async () => {
  const { sessions, labels, state } = rig()
  labels.push(label(1, 'one'))
  state.fails = true
  const reads = [1, 2].map(async () => sessions.read(ANA, 't1'))
  for (const settled of await Promise.allSettled(reads)) expect(settled.status).toBe('rejected')
  state.fails = false
  const session = await sessions.read(ANA, 't1')
  expect(session.origins).toHaveLength(1)
  expect((await sessions.read(ANA, 't1')).origins).toHaveLength(1)
})
