import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openChanges, type Changes, type ChangesPorts } from '../../src/kernel/changes/changes.ts'
import { announceCommits } from '../../src/kernel/changes/watch-rows.ts'
import type { Notices } from '../../src/kernel/ports/notices.ts'
import { createListeners } from '../../src/adapters/stores/listeners.ts'
import { wiredNotices } from '../../src/adapters/stores/postgres/notices.ts'
import { ADMIN } from '../helpers/with-gate.ts'

const NODES = 3
type Node = {
  readonly changes: Changes
  readonly notices: Notices
  change(scope: `tool:${string}`): Promise<void>
  run(): void
}

/** Nodes whose notices are delivered when the test says so, in order between each pair of nodes. */
function cluster() {
  const time = { now: 1_000_000 }
  const waiting = new Map<string, (() => void)[]>()
  const books = Array.from({ length: NODES }, () => createListeners())
  const nodes: Node[] = books.map((own, index) => {
    const notices: Notices = {
      publish(topic, notice) {
        own.notify(topic, notice, 'here')
        for (const [other, book] of books.entries()) {
          const way = `${index} ${other}`
          if (other !== index)
            waiting.set(way, [...(waiting.get(way) ?? []), () => book.notify(topic, notice, 'elsewhere')])
        }
      },
      subscribe: own.subscribe,
      onMissed: own.onMissed,
    }
    const boot = `n${index}`
    // Each has published something before its stream was opened.
    const changeNumbers = { node: boot, last: index }
    const soon: (() => void)[] = []
    const changes = openChanges({
      notices,
      changeNumbers,
      catalogue: { onRefresh: () => undefined },
      clock: () => (time.now += 1),
      boot,
      tableEntries: [],
      after: (_, callback) => (soon.push(callback), () => undefined),
      serversFor: () => new Set(),
      // What the tables of guests need is left out with them.
    } as Partial<ChangesPorts> as ChangesPorts)
    const { commit } = announceCommits(
      { commit: async () => 'committed' },
      { notices, kinds: new Map(), tableEntries: [], changeNumbers },
    )
    return {
      changes,
      notices,
      async change(scope) {
        const to = { v: 1, scope, effect: 'block', active: true, by: 'admin:local', reason: '', at: 1 } as const
        await commit([{ kind: 'swap', table: 'pauses', id: scope, from: 'absent', to }])
      },
      run: () => soon.splice(0).forEach((callback) => callback()),
    }
  })
  const deliver = (from: number, to: number) => waiting.get(`${from} ${to}`)?.shift()?.()
  const deliverAll = () => {
    while ([...waiting.values()].some((list) => list.length > 0))
      for (const [way] of waiting) deliver(Number(way[0]), Number(way[2]))
  }
  deliverAll()
  const nodeAt = (index: number): Node => {
    const node = nodes[index]
    if (node === undefined) throw new Error('no such node')
    return node
  }
  return { time, nodeAt, deliver, deliverAll, books }
}

const step = fc.oneof(
  fc.record({ is: fc.constant('change' as const), at: fc.nat({ max: NODES - 1 }) }),
  fc.record({
    is: fc.constant('deliver' as const),
    at: fc.nat({ max: NODES - 1 }),
    to: fc.nat({ max: NODES - 1 }),
  }),
  fc.record({ is: fc.constant('move' as const), at: fc.nat({ max: NODES - 1 }) }),
)

test('a stream that is resumed on other nodes repeatedly reports every change once, or says that it starts over', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { nodeAt, deliver, deliverAll } = cluster()
      const scopes: string[] = []
      let resets = 0
      let last = nodeAt(0).changes.newest()
      let stop = () => {}
      let listening = nodeAt(0)
      const listen = (node: Node) => {
        listening.run()
        stop()
        listening = node
        const onChange: Parameters<Changes['onChange']>[1] = (change) => {
          last = change.id
          if (change.kind === 'pause') scopes.push(change.scope)
          else resets += 1
        }
        const missed = node.changes.changesAfter(ADMIN, last)
        const from = missed === undefined ? undefined : last
        if (missed === undefined) resets += 1
        else missed.forEach(onChange)
        last = node.changes.newest(from)
        stop = node.changes.onChange(ADMIN, onChange, from)
      }
      listen(nodeAt(0))
      const made: string[] = []
      for (const [index, one] of steps.entries()) {
        if (one.is === 'move') listen(nodeAt(one.at))
        else if (one.is === 'deliver') deliver(one.at, one.to)
        else {
          made.push(`tool:s${index}`)
          await nodeAt(one.at).change(`tool:s${index}`)
        }
      }
      deliverAll()
      listening.run()
      expect(resets).toBe(0)
      expect(scopes.toSorted()).toEqual(made.toSorted())
    }),
    { numRuns: 300 },
  )
})

test('an id of another node is rejected if something after it may be missing here', async () => {
  const { time, nodeAt, deliverAll, books } = cluster()
  const [one, other] = [nodeAt(0), nodeAt(1)]
  const before = one.changes.newest()
  await one.change('tool:a')
  // The notices of the first node are lost, and the second one learns that something may be missing.
  books[1]?.missed()
  expect(other.changes.changesAfter(ADMIN, before)).toBeUndefined()
  deliverAll()
  expect(other.changes.changesAfter(ADMIN, before)).toHaveLength(1)
  expect(other.changes.changesAfter(ADMIN, one.changes.newest())).toEqual([])
  time.now += 60_000
  for (const id of ['n0-1', 'n0-1~zz~n0', 'n0-1~?~n0.1', `n0-1~${'a~'.repeat(3000)}`, 'n9-5~1~n9.4'])
    expect(other.changes.changesAfter(ADMIN, id)).toBeUndefined()
})

test('a gap in the numbers of a node is reported, and a change that is too large for a notice becomes a gap', () => {
  const received: string[] = []
  const wired = wiredNotices(async () => undefined)
  wired.onMissed(() => void received.push('missed'))
  wired.subscribe('policy', ({ version }) => void received.push(version))
  for (const number of [4, 5, 7]) wired.receive(JSON.stringify(['other', number, 'policy', { version: `v${number}` }]))
  wired.receive('no notice')
  expect(received).toEqual(['v4', 'v5', 'missed', 'v7', 'missed'])
})
