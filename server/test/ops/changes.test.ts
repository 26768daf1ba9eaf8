import { describe, expect, test } from 'vitest'
import { openChanges, REMEMBERED, type ChangesPorts } from '../../src/kernel/changes/changes.ts'
import { announceCommits } from '../../src/kernel/changes/watch-rows.ts'
import type { Change } from '../../src/kernel/ports/ledger.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import type { GateChange } from '../../src/kernel/contract/change.ts'
import { localMembers } from '../../src/adapters/stores/local-notices.ts'
import { ADMIN, AGENT, APPROVER, pendingOf, until, USER, withGate, approveShown } from '../helpers/with-gate.ts'

const OTHER: Caller = { kind: 'agent', id: 'agent:other', user: 'zoe' }

function collectChanges(): { readonly changes: GateChange[]; readonly onChange: (change: GateChange) => void } {
  const changes: GateChange[] = []
  return { changes, onChange: (change) => void changes.push(change) }
}

const summary = (changes: readonly GateChange[]) =>
  changes
    .filter(({ kind }) => kind !== 'run')
    .map((change) =>
      change.kind === 'call' || change.kind === 'approval' ? `${change.kind} ${change.state}` : change.kind,
    )
const runsIn = (changes: readonly GateChange[]) =>
  changes.flatMap((change) => (change.kind === 'run' ? [`${change.run_kind} ${change.status}`] : []))

test('a held call is reported step by step to everybody who may see it, and to nobody else', () =>
  withGate(async ({ gate, call, outcome }) => {
    const [agent, user, approver, other] = [collectChanges(), collectChanges(), collectChanges(), collectChanges()]
    gate.changes.onChange(AGENT, agent.onChange)
    gate.changes.onChange(USER, user.onChange)
    gate.changes.onChange(APPROVER, approver.onChange)
    gate.changes.onChange(OTHER, other.onChange)
    const { call_id, approval_id } = pendingOf(await call('book__note', { text: 'x' }))
    await approveShown(gate, APPROVER, approval_id)
    await outcome(call_id)
    await gate.pauses.set(ADMIN, { scope: 'server:book', effect: 'ask', active: true, reason: 'r' })
    await until(() => other.changes.length > 0)
    const steps = ['call pending', 'approval pending', 'approval approved', 'call executing', 'approval consumed']
    expect(summary(approver.changes).sort()).toEqual([...steps, 'call executed', 'pause'].sort())
    expect(summary(user.changes)).toEqual(summary(approver.changes))
    expect(summary(agent.changes)).toEqual(['call pending', 'call executing', 'call executed', 'pause'])
    expect(summary(other.changes)).toEqual(['pause'])
    const versions = agent.changes.flatMap((change) => (change.kind === 'call' ? [change.version] : []))
    expect(versions).toEqual([1, 2, 3])
    expect(JSON.stringify([agent, user, approver, other])).not.toContain('"x"')
  }))

test('every step of a run is reported to those who may see it, with its status but not its state', () =>
  withGate(async ({ gate, call, outcome }) => {
    const [agent, user, approver, other, limited] = [
      collectChanges(),
      collectChanges(),
      collectChanges(),
      collectChanges(),
      collectChanges(),
    ]
    gate.changes.onChange(AGENT, agent.onChange)
    gate.changes.onChange(USER, user.onChange)
    gate.changes.onChange(APPROVER, approver.onChange)
    gate.changes.onChange(OTHER, other.onChange)
    gate.changes.onChange({ ...AGENT, grant: { key: 'key_limited', tools: ['book__look'] } }, limited.onChange)
    const { call_id, approval_id } = pendingOf(await call('book__note', { text: 'x' }))
    await approveShown(gate, APPROVER, approval_id)
    await outcome(call_id)
    await until(() => runsIn(agent.changes).length === 3)
    const steps = ['held-call waiting', 'held-call active', 'held-call done']
    expect([agent, user, approver].map(({ changes }) => runsIn(changes))).toEqual([steps, steps, steps])
    expect([other, limited].map(({ changes }) => runsIn(changes))).toEqual([[], []])
    const [first] = agent.changes.filter(({ kind }) => kind === 'run')
    expect(first).toMatchObject({ version: 1, thread: 't1', waits_for: `approval ${approval_id}` })
    expect(Object.keys(first ?? {})).not.toContain('state')
  }))

test('a listener that was removed gets no more events', () =>
  withGate(async ({ gate, call }) => {
    const [first, second] = [collectChanges(), collectChanges()]
    const stop = gate.changes.onChange(ADMIN, first.onChange)
    gate.changes.onChange(ADMIN, second.onChange)
    stop()
    await call('book__look')
    await until(() => second.changes.length === 2)
    expect(first.changes).toEqual([])
  }))

test('changes after an id are those that a listener received after it', () =>
  withGate(async ({ gate, call }) => {
    const { changes, onChange } = collectChanges()
    gate.changes.onChange(ADMIN, onChange)
    const before = gate.changes.newest()
    await call('book__look')
    await call('book__look', {}, { caller: OTHER })
    await until(() => changes.length === 4)
    expect(gate.changes.changesAfter(ADMIN, before)).toEqual(changes)
    expect(gate.changes.changesAfter(ADMIN, changes[1]?.id ?? '')).toEqual(changes.slice(2))
    expect(gate.changes.changesAfter(AGENT, before)).toEqual(changes.slice(0, 2))
    expect(gate.changes.changesAfter(ADMIN, gate.changes.newest())).toEqual([])
    const boot = before.split('-')[0]
    for (const unknown of [
      '',
      'x',
      'otherboot-1',
      'otherboot-1~0~b.1',
      `${boot}-999999~0`,
      `${boot}--1~0`,
      `${boot}-1`,
    ])
      expect(gate.changes.changesAfter(ADMIN, unknown)).toBeUndefined()
  }))

describe('the ring', () => {
  function ringed() {
    const nodes = localMembers()
    const missed: (() => void)[] = []
    const own = { ...nodes.join(), onMissed: (listener: () => void) => (missed.push(listener), () => {}) }
    const changeNumbers = { node: 'b', last: 0 }
    const { commit } = announceCommits(
      { commit: async () => 'committed' },
      { notices: own, kinds: new Map(), tableEntries: [], changeNumbers },
    )
    let refresh: Parameters<ChangesPorts['catalogue']['onRefresh']>[0] = () => {}
    const soon: (() => void)[] = []
    const found = new Set(['seen'])
    // What the tables of guests need is left out with them.
    const deps = {
      notices: own,
      changeNumbers,
      catalogue: { onRefresh: (listener) => void (refresh = listener) },
      clock: () => 7,
      tableEntries: [],
      boot: 'b',
      after(_, callback) {
        soon.push(callback)
        return () => {}
      },
      serversFor: () => new Set(found),
    } as Partial<ChangesPorts> as ChangesPorts
    const changes = openChanges(deps)
    const pause: Change = {
      kind: 'swap',
      table: 'pauses',
      id: 'all',
      from: 'absent',
      to: { v: 1, scope: 'all', effect: 'block', active: true, by: 'admin:local', reason: '', at: 1 },
    }
    const times = (count: number) => commit(Array.from({ length: count }, () => pause))
    const run = () => soon.splice(0).forEach((callback) => callback())
    return {
      changes,
      times,
      run,
      refresh: (server: string) => refresh(server, [], 'here'),
      found,
      miss: () => missed.forEach((notify) => notify()),
    }
  }

  test('listeners are never called inside a commit', async () => {
    const { changes, times, run } = ringed()
    const { changes: received, onChange } = collectChanges()
    changes.onChange(ADMIN, onChange)
    await times(3)
    expect(received).toEqual([])
    run()
    expect(received.map(({ id }) => id.split('~')[0])).toEqual(['b-1', 'b-2', 'b-3'])
  })

  test('a listener that is too far behind gets one `reset`', async () => {
    const { changes, times, run } = ringed()
    const { changes: received, onChange } = collectChanges()
    changes.onChange(ADMIN, onChange)
    await times(REMEMBERED + 1)
    run()
    expect(received.map(({ kind }) => kind)).toEqual(['reset'])
    expect(received[0]?.id).toBe(changes.newest())
    await times(1)
    run()
    expect(received.map(({ kind }) => kind)).toEqual(['reset', 'pause'])
    expect(changes.changesAfter(ADMIN, 'b-1~7~b.1')).toBeUndefined()
    expect(changes.changesAfter(ADMIN, 'b-2~7~b.2')).toHaveLength(REMEMBERED)
  })

  test('if notices of other nodes were missed, every listener gets a `reset`, including those that reconnect later', async () => {
    const { changes, times, run, miss } = ringed()
    const { changes: received, onChange } = collectChanges()
    changes.onChange(ADMIN, onChange)
    await times(1)
    run()
    const [before] = received
    miss()
    run()
    await times(1)
    run()
    expect(received.map(({ kind }) => kind)).toEqual(['pause', 'reset', 'pause'])
    expect(changes.changesAfter(ADMIN, before?.id ?? '')).toBeUndefined()
    expect(changes.changesAfter(ADMIN, received[1]?.id ?? '')).toHaveLength(1)
  })

  test('a listener that throws is dropped, and the others still receive everything', async () => {
    const { changes, times, run } = ringed()
    const { changes: received, onChange } = collectChanges()
    let thrown = 0
    changes.onChange(ADMIN, () => {
      thrown += 1
      throw new Error('no')
    })
    changes.onChange(ADMIN, onChange)
    await times(2)
    run()
    await times(1)
    run()
    expect({ thrown, received: received.length }).toEqual({ thrown: 1, received: 3 })
  })

  test('a change of a server`s tools is reported to callers who can, or could until now, find one of them', async () => {
    const { changes, run, refresh, found } = ringed()
    const { changes: received, onChange } = collectChanges()
    changes.onChange(AGENT, onChange)
    refresh('hidden')
    run()
    expect(received).toEqual([])
    found.delete('seen')
    refresh('seen')
    refresh('seen')
    run()
    expect(received.map((change) => ('server' in change ? change.server : change.kind))).toEqual(['seen'])
  })
})
