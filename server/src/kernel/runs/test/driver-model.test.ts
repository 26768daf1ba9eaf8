import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Change, Committed, Ledger } from '../../ports/ledger.ts'
import type { Perform } from '../performer.ts'
import type { RunId } from '../../contract/ids.ts'
import type { Json } from '../../contract/json.ts'
import { isEndedRun, type RunRow } from '../../contract/run.ts'
import { chance, chanceState, type Chance } from './random-kind.suite.ts'
import { begin, run, send, startNode, testStore, type Node, type TestStore } from './with-runs.suite.ts'

/** What goes wrong, and at which commit: the process dies before it or after it, or its lease expires while it keeps running. */
type Mishap = { readonly at: number; readonly what: 'dies before' | 'dies after' | 'is taken for dead' }

const scenario = fc.record({
  seed: fc.nat(2 ** 31),
  budget: fc.integer({ min: 1, max: 14 }),
  pings: fc.array(fc.nat(30), { maxLength: 5 }),
  mishaps: fc.array(
    fc.record({
      at: fc.integer({ min: 1, max: 25 }),
      what: fc.constantFrom<Mishap['what']>('dies before', 'dies after', 'is taken for dead'),
    }),
    { maxLength: 4 },
  ),
  delays: fc.array(fc.nat(60), { minLength: 1, maxLength: 8 }),
  throws: fc.nat(12),
})

const NEVER = new Promise<never>(() => {})

/** A clock that does not move while anything runs, and jumps to the next timer when nothing does. */
function virtualTime() {
  let now = 1_000
  let alarms: { at: number; callback: () => void; owner: string }[] = []
  return {
    now: () => now,
    after: (owner: string) => (ms: number, callback: () => void) => {
      const alarm = { at: now + ms, callback, owner }
      alarms.push(alarm)
      return () => void (alarms = alarms.filter((one) => one !== alarm))
    },
    forget: (owner: string) => void (alarms = alarms.filter((one) => one.owner !== owner)),
    jump(): boolean {
      const [next] = alarms.toSorted((a, b) => a.at - b.at)
      if (next === undefined) return false
      alarms = alarms.filter((one) => one !== next)
      now = Math.max(now, next.at)
      next.callback()
      return true
    },
  }
}

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

async function play(store: TestStore, root: RunId, { seed, budget, pings, mishaps, delays, throws }: Scenario) {
  const time = virtualTime()
  const performed = new Map<string, string[]>()
  const dead = new Set<string>()
  let underWay = 0
  let commits = 0
  let boots = 0
  const plan = [...mishaps].toSorted((a, b) => a.at - b.at)

  async function counted<T>(work: Promise<T>): Promise<T> {
    underWay += 1
    try {
      return await work
    } finally {
      underWay -= 1
    }
  }

  function startBoot(): Node {
    const boot = `boot-${++boots}`
    let isGone = false
    const die = () => {
      isGone = true
      dead.add(boot)
      time.forget(boot)
    }
    const ledger: Ledger = {
      async commit(changes: readonly Change[]): Promise<Committed> {
        if (isGone) return NEVER
        commits += 1
        const mishap = plan[0]?.at === commits ? plan.shift() : undefined
        if (mishap?.what === 'dies before') {
          die()
          next()
          return NEVER
        }
        const committed = await counted(store.commit(changes))
        if (isGone) return NEVER
        if (mishap?.what === 'dies after') {
          die()
          next()
          return NEVER
        }
        if (mishap?.what === 'is taken for dead') {
          dead.add(boot)
          next()
        }
        return committed
      },
    }
    const perform: Perform = async ({ key, kind }, { signal }) => {
      if (isGone) return NEVER
      const before = performed.get(key) ?? []
      performed.set(key, [...before, boot])
      // Some performers fail in a way that they do not expect, the first time.
      if (throws > 0 && (key.length + before.length * 7 + seed) % 12 === throws) throw new Error(`${kind} is broken`)
      const ms = delays[performed.size % delays.length] ?? 0
      await new Promise<void>((resolve) => {
        time.after(boot)(ms, resolve)
        signal.addEventListener('abort', () => resolve())
      })
      if (isGone) return NEVER
      return { type: signal.aborted ? 'effect.cancelled' : 'effect.done' }
    }
    return startNode({
      store: {
        ...store,
        row: (table, id) => counted(store.row(table, id)),
        events: (...asked) => counted(store.events(...asked)),
      },
      kinds: [chance],
      performers: { twice: perform, single: perform },
      boot,
      alive: (name) => !dead.has(name),
      ledger,
      clock: time.now,
      after: (ms, callback) => (isGone ? () => {} : time.after(boot)(ms, () => isGone || callback())),
    })
  }

  const nodes: Node[] = []
  const next = () => queueMicrotask(() => void recoverNext())
  async function recoverNext(): Promise<void> {
    const node = startBoot()
    nodes.push(node)
    await counted(node.scheduler.recover())
  }

  await recoverNext()
  await begin(store, chance, root, chanceState(root, seed, budget, 1), { type: 'started' })
  const sent: number[] = []
  for (let turn = 0, quiet = 0; turn < 20_000; turn += 1) {
    await new Promise((resolve) => (underWay === 0 ? setImmediate(resolve) : setTimeout(resolve, 1)))
    if (pings.includes(turn) && !sent.includes(turn)) {
      sent.push(turn)
      await send(store, root, { type: 'ping', number: turn })
    }
    quiet = underWay === 0 ? quiet + 1 : 0
    if (quiet < 4 || turn <= Math.max(0, ...pings)) continue
    quiet = 0
    const items = await runsOf(store, root)
    if (!items.every(isEndedRun) && time.jump()) continue
    for (const { scheduler } of nodes) void scheduler.stop()
    return { items, performed }
  }
  throw new Error('it never became idle')
}

async function runsOf(store: TestStore, root: RunId): Promise<RunRow[]> {
  const own = await store.row('runs', root)
  const children = await store.list('runs', { parent: root }, { limit: 1_000 })
  return [...(own === undefined ? [] : [own]), ...children].map(({ row }) => row)
}

let store: TestStore
beforeAll(async () => {
  store = await testStore()
})
afterAll(() => store.remove())

/** Every example has separate runs in one store. */
let examples = 0x1000

test('whenever processes die: no effect happens twice, no timer or event is lost, and every run ends', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (asked) => {
      const id = run((examples += 1))
      const { items, performed } = await play(store, id, asked)
      for (const row of items) expectWhole(row)
      await expectReplay(id, asked)
      for (const [key, by] of performed) {
        if (key.includes('/single/')) expect([key, by]).toEqual([key, by.slice(0, 1)])
        // A repetition is by another process, or after the performer failed.
        else if (asked.throws === 0) expect([key, new Set(by).size]).toEqual([key, by.length])
      }
      expect(await store.due(9e12, 10)).toEqual([])
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  )
})

/** It has ended, and got the result of everything it requested once. */
function expectWhole({ run_id, status, fault, executing, state: stored }: RunRow): void {
  const state = stored as unknown as Chance
  expect([run_id, status, fault, executing]).toEqual([run_id, 'done', undefined, []])
  expect(state.ended.map((end) => end.replace(/ .*/, '')).toSorted()).toEqual([...state.asked].toSorted())
  // Each timer fired once, or was moved.
  const settled = [...state.rang, ...state.given_up]
  expect([settled.length, new Set(settled).size]).toEqual([state.settings, state.settings])
  expect([...state.children_ended].toSorted()).toEqual([...state.children].toSorted())
}

/**
 * The events up to the cursor, in the order of the journal, lead to the stored state: none was skipped or read twice. An ended run ignores
 * those that were read together with its end.
 */
async function expectReplay(id: RunId, { seed, budget }: Scenario): Promise<void> {
  const row = (await store.row('runs', id))?.row
  const journal = await store.events(id, 0, 10_000)
  const read = journal.filter(({ seq }) => seq <= (row?.cursor ?? 0)).map(({ event }) => event)
  let replayed: Json = chanceState(id, seed, budget, 1)
  const pings: unknown[] = []
  for (const event of read) {
    const step = chance.step(replayed, event)
    replayed = step.state
    if (event.type === 'ping') pings.push(event['number'])
    if (step.ends !== undefined) break
  }
  expect(replayed).toEqual(row?.state)
  expect(row?.state).toMatchObject({ pings })
}
