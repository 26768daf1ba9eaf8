import { afterEach, describe, expect, test } from 'vitest'
import type { Change, Committed } from '../../kernel/ports/ledger.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import {
  approval,
  approvalId,
  call,
  callId,
  newCall,
  note,
  runId,
  wholeChain,
  type OpenLedger,
} from './ledger-fixtures.suite.ts'
import { auditSuite } from './ledger-audit.suite.ts'
import { doubtsSuite, type KillableLedger } from './ledger-doubts.suite.ts'
import { modelSuite } from './ledger-model.suite.ts'
import { processSuite } from './ledger-processes.suite.ts'
import { readsSuite } from './ledger-reads.suite.ts'

/** What an engine provides to the suite. */
export type EngineUnderTest = {
  /** The address of a new, empty store. */
  readonly create: () => Promise<string>
  /** Opens a store, as often as needed. `stream` is the audit stream it appends to, `main` by default. */
  readonly open: (address: string, stream?: string) => Promise<OpenLedger>
  /** A script that opens the store `argv[2]` in its own process and calls `race` (ledger-racer.suite.ts). */
  readonly racer: URL
  /** Opens a separate store whose engine can be made to fail. */
  readonly openKillable: (address: string) => Promise<KillableLedger>
}

/** How a test opens stores; what it opened is closed after it. */
export type Opener = EngineUnderTest & { readonly fresh: () => Promise<OpenLedger> }

/** Every Ledger passes this, on real engines, from several processes. Tests of a single engine go in its own test file. */
export function ledgerSuite(engine: string, under: EngineUnderTest): void {
  const opened: OpenLedger[] = []
  const open: EngineUnderTest['open'] = async (address, stream) => {
    const ledger = await under.open(address, stream)
    opened.push(ledger)
    return ledger
  }
  const opener: Opener = { ...under, open, fresh: async () => open(await under.create()) }
  afterEach(async () => {
    for (const ledger of opened.splice(0)) await ledger.close()
  })

  describe(`${engine} ledger`, () => {
    describe('compares and swaps', () => swapSuite(opener))
    describe('counts and spends', () => unitSuite(opener))
    describe('chains the audit', () => auditSuite(opener))
    describe('reads', () => readsSuite(opener))
    describe('agrees with a model', () => modelSuite(opener))
    describe('reports the outcome of commits in doubt', () =>
      doubtsSuite({
        async openKillable() {
          const mortal = await under.openKillable(await under.create())
          opened.push(mortal.ledger)
          return mortal
        },
      }))
    describe('works across processes', () => processSuite(opener))
  })
}

const committed = (outcomes: readonly Committed[]) => outcomes.filter((outcome) => outcome === 'committed')

function swapSuite({ fresh, open, create }: Opener): void {
  test('of twenty racing spenders of one approval exactly one commits', async () => {
    const ledger = await fresh()
    const id = approvalId(1)
    await ledger.commit([{ kind: 'swap', table: 'approvals', id, from: 'absent', to: approval(id, 'approved') }])
    const spend = () => ledger.commit([{ kind: 'swap', table: 'approvals', id, from: 1, to: approval(id, 'consumed') }])
    const outcomes = await Promise.all(Array.from({ length: 20 }, spend))
    expect(committed(outcomes)).toHaveLength(1)
    for (const outcome of outcomes) if (outcome !== 'committed') expect(outcome).toEqual({ lost: 0 })
    expect(await ledger.row('approvals', id)).toMatchObject({ version: 2, row: { state: 'consumed' } })
  })

  test('of twenty racers for one new id exactly one commits, and its row stays', async () => {
    const ledger = await fresh()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, racer) => ledger.commit([newCall('c', { trace: `racer ${racer}` })])),
    )
    expect(committed(outcomes)).toHaveLength(1)
    const winner = outcomes.indexOf('committed')
    expect(await ledger.row('calls', 'c')).toMatchObject({ version: 1, row: { trace: `racer ${winner}` } })
  })

  test('a lost change leaves no trace of the other changes in its commit', async () => {
    const ledger = await fresh()
    const woken: string[] = []
    ledger.onWake((run) => woken.push(run))
    const neighbours: Change[] = [
      newCall('c'),
      { kind: 'once', key: 'nonce', until: 9e12 },
      { kind: 'open', account: 'a', units: 5 },
      { kind: 'event', run: runId(1), event: { type: 'x' } },
      { kind: 'wake', run: runId(1) },
      note('c'),
    ]
    const stale: Change = { kind: 'swap', table: 'calls', id: 'd', from: 7, to: call('d') }
    expect(await ledger.commit([...neighbours, stale, newCall('e')])).toEqual({ lost: 6 })

    expect(await ledger.row('calls', 'c')).toBeUndefined()
    expect(await ledger.row('calls', 'e')).toBeUndefined()
    expect(await ledger.events(runId(1), 0, 10)).toEqual([])
    expect(await ledger.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([])
    expect(await ledger.entries('main', 1, 10)).toEqual([])
    expect(woken).toEqual([])
    // The nonce and the account are still free.
    expect(await ledger.commit(neighbours)).toBe('committed')
  })

  test('lost names the first change whose expectation fails, evaluated after the changes before it', async () => {
    const ledger = await fresh()
    const swap = (from: number): Change => ({ kind: 'swap', table: 'calls', id: 'c', from, to: call('c') })
    expect(await ledger.commit([newCall('c'), swap(1), swap(2), swap(2), swap(9)])).toEqual({ lost: 3 })
    expect(await ledger.commit([newCall('c'), swap(1), swap(2)])).toBe('committed')
    expect(await ledger.row('calls', 'c')).toMatchObject({ version: 3 })
  })

  test('expect matches only that exact version, and writes nothing', async () => {
    const ledger = await fresh()
    const expectVersion = (version: number | 'absent') =>
      ledger.commit([{ kind: 'expect', table: 'calls', id: 'c', version }])
    expect(await expectVersion('absent')).toBe('committed')
    expect(await expectVersion(1)).toEqual({ lost: 0 })
    await ledger.commit([newCall('c')])
    expect(await expectVersion('absent')).toEqual({ lost: 0 })
    expect(await expectVersion(1)).toBe('committed')
    expect(await expectVersion(2)).toEqual({ lost: 0 })
    expect(await ledger.row('calls', 'c')).toMatchObject({ version: 1 })
  })

  test('ids that differ only in letter case, in accents or in what follows a NUL are different rows', async () => {
    const ledger = await fresh()
    const ids = ['call', 'Call', 'CALL', 'cäll', 'ca\u0308ll', 'call\0a', 'call\0b', '', 'call ']
    for (const id of ids) expect(await ledger.commit([newCall(id, { trace: id })])).toBe('committed')
    for (const id of ids) expect((await ledger.row('calls', id))?.row.trace).toBe(id)
  })

  test('commits that are sent together are not affected by the lost ones among them', async () => {
    const ledger = await fresh()
    await ledger.commit([newCall('taken')])
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        // Every third one writes first and then loses; a later one reuses the id that must still be free.
        number % 3 === 0
          ? ledger.commit([newCall(`c${number + 1}`), note('lost'), newCall('taken')])
          : ledger.commit([newCall(`c${number}`), note(`c${number}`)]),
      ),
    )
    for (const [number, outcome] of outcomes.entries())
      expect(outcome).toEqual(number % 3 === 0 ? { lost: 2 } : 'committed')
    const entries = await wholeChain(ledger, 'main')
    expect(new Set(entries.map(({ subject }) => subject['call']))).toEqual(
      new Set(Array.from({ length: 60 }, (_, number) => `c${number}`).filter((_, number) => number % 3 !== 0)),
    )
    expect(entries).toHaveLength(40)
  })

  test('an impossible change is a Bug for its own caller, and the other commits succeed', async () => {
    const ledger = await fresh()
    const circle: Record<string, unknown> = {}
    circle['circle'] = circle
    const impossible: Change[] = [
      { kind: 'spend', account: 'a', units: 0.5 },
      { kind: 'open', account: 'b', units: -1 },
      { kind: 'wake', run: runId(1), at: Number.NaN },
      { kind: 'once', key: 'lone \ud800', until: 1 },
      { kind: 'audit', entry: { at: Number.NaN, type: 'call.held', actor: '\ud800', trace: '', subject: {} } },
      { kind: 'event', run: runId(1), event: circle as never },
      { kind: 'swap', table: 'sqlite_schema' as 'calls', id: 'x', from: 'absent', to: call('x') },
      { kind: 'swap', table: 'calls', id: 'x', from: Number.NaN, to: call('x') },
      { kind: 'guess' } as never,
    ]
    const outcomes = await Promise.allSettled(
      impossible.flatMap((change, index) => [
        ledger.commit([newCall(`before ${index}`), note('no'), change]),
        ledger.commit([newCall(`beside ${index}`), note('yes')]),
      ]),
    )
    for (const [index, outcome] of outcomes.entries()) {
      if (index % 2 === 1) expect(outcome).toEqual({ status: 'fulfilled', value: 'committed' })
      else expect(outcome.status === 'rejected' && outcome.reason instanceof Bug, `change ${index / 2}`).toBe(true)
    }
    expect(await ledger.count('calls', {})).toBe(impossible.length)
    expect(await wholeChain(ledger, 'main')).toHaveLength(impossible.length)
  })

  test('what was committed is there after closing and opening again; a closed ledger is unavailable', async () => {
    const address = await create()
    const before = await open(address)
    const commits = Promise.all(
      Array.from({ length: 30 }, (_, number) => before.commit([newCall(callId(number)), note(callId(number))])),
    )
    await before.close()
    expect(committed(await commits)).toHaveLength(30)
    expect(await before.commit([newCall('late')])).toBe('unavailable')

    const after = await open(address)
    expect(await after.count('calls', {})).toBe(30)
    expect(await wholeChain(after, 'main')).toHaveLength(30)
  })
}

function unitSuite({ fresh }: Opener): void {
  test('a once key can be inserted only once', async () => {
    const ledger = await fresh()
    const nonce = (key: string) => ledger.commit([{ kind: 'once', key, until: Date.now() + 60_000 }])
    expect(committed(await Promise.all(Array.from({ length: 20 }, () => nonce('n'))))).toHaveLength(1)
    expect(await nonce('n')).toEqual({ lost: 0 })
    expect(await nonce('N')).toBe('committed')
  })

  test('racing spenders never take more than there is', async () => {
    const ledger = await fresh()
    await ledger.commit([{ kind: 'open', account: 'a', units: 10 }])
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, racer) =>
        ledger.commit([{ kind: 'spend', account: 'a', units: 3 }, newCall(`c${racer}`)]),
      ),
    )
    expect(committed(outcomes)).toHaveLength(3)
    expect(await ledger.count('calls', {})).toBe(3)
    expect(await ledger.commit([{ kind: 'spend', account: 'a', units: 2 }])).toEqual({ lost: 0 })
    expect(await ledger.commit([{ kind: 'spend', account: 'a', units: 1 }])).toBe('committed')
  })

  test('returned units can be spent again', async () => {
    const ledger = await fresh()
    const spend = (units: number) => ledger.commit([{ kind: 'spend', account: 'a', units }])
    await ledger.commit([{ kind: 'open', account: 'a', units: 2 }])
    expect(await spend(2)).toBe('committed')
    expect(await spend(-3)).toBe('committed')
    expect(await spend(4)).toEqual({ lost: 0 })
    expect(await spend(3)).toBe('committed')
  })

  test('an account is opened once, and without one nothing is spent or returned', async () => {
    const ledger = await fresh()
    for (const units of [1, 0, -1]) {
      expect(await ledger.commit([{ kind: 'spend', account: 'a', units }])).toEqual({ lost: 0 })
    }
    expect(await ledger.commit([{ kind: 'open', account: 'a', units: 0 }])).toBe('committed')
    expect(await ledger.commit([{ kind: 'open', account: 'a', units: 5 }])).toEqual({ lost: 0 })
    expect(await ledger.commit([{ kind: 'spend', account: 'a', units: 1 }])).toEqual({ lost: 0 })
  })

  test('what is left can be read, even of an account that may be deleted later', async () => {
    const ledger = await fresh()
    expect(await ledger.left('a')).toBeUndefined()
    await ledger.commit([{ kind: 'open', account: 'a', units: 5, until: Number.MAX_SAFE_INTEGER }])
    await ledger.commit([{ kind: 'spend', account: 'a', units: 2 }])
    expect(await ledger.left('a')).toBe(3)
    expect(await ledger.left('A')).toBeUndefined()
  })

  test('more units than a double can count are spent exactly', async () => {
    const ledger = await fresh()
    const most = Number.MAX_SAFE_INTEGER
    const spend = (units: number) => ledger.commit([{ kind: 'spend', account: 'a', units }])
    await ledger.commit([{ kind: 'open', account: 'a', units: most }])
    // The current value is not a double; the next double is one more.
    expect(await spend(-3)).toBe('committed')
    expect(await spend(-1)).toBe('committed')
    expect(await spend(most)).toBe('committed')
    expect(await spend(5)).toEqual({ lost: 0 })
    expect(await spend(4)).toBe('committed')
  })
}
