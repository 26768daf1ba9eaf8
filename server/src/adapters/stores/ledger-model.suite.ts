import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, Committed } from '../../kernel/ports/ledger.ts'
import { call, note, runId, wholeChain, type OpenLedger } from './ledger-fixtures.suite.ts'
import type { Opener } from './ledger.suite.ts'

/** The ledger in a few lines, on maps. Every value is replaced, never mutated, so that a copy is a snapshot. */
type Model = {
  readonly rows: ReadonlyMap<string, number>
  readonly nonces: ReadonlySet<string>
  readonly accounts: ReadonlyMap<string, number>
  readonly events: ReadonlyMap<string, readonly number[]>
  readonly wakes: readonly { readonly run: string; readonly at: number }[]
  readonly audit: number
}
const EMPTY: Model = {
  rows: new Map(),
  nonces: new Set(),
  accounts: new Map(),
  events: new Map(),
  wakes: [],
  audit: 0,
}

/** The next state, or undefined if the change's expectation fails. */
function after(model: Model, change: Change): Model | undefined {
  const seqs = ('run' in change ? model.events.get(change.run) : undefined) ?? []
  switch (change.kind) {
    case 'swap': {
      const at = model.rows.get(change.id) ?? 'absent'
      if (at !== change.from) return undefined
      return { ...model, rows: new Map(model.rows).set(change.id, at === 'absent' ? 1 : at + 1) }
    }
    case 'expect':
      return (model.rows.get(change.id) ?? 'absent') === change.version ? model : undefined
    case 'once':
      return model.nonces.has(change.key) ? undefined : { ...model, nonces: new Set(model.nonces).add(change.key) }
    case 'open':
      if (model.accounts.has(change.account)) return undefined
      return { ...model, accounts: new Map(model.accounts).set(change.account, change.units) }
    case 'spend': {
      const left = (model.accounts.get(change.account) ?? Number.NaN) - change.units
      return left >= (change.least ?? 0)
        ? { ...model, accounts: new Map(model.accounts).set(change.account, left) }
        : undefined
    }
    case 'event':
      return { ...model, events: new Map(model.events).set(change.run, [...seqs, (seqs.at(-1) ?? 0) + 1]) }
    case 'wake':
      return { ...model, wakes: [...model.wakes, { run: change.run, at: change.at ?? 0 }] }
    case 'rest': {
      if ((seqs.at(-1) ?? 0) > change.cursor) return undefined
      const others = model.wakes.filter(({ run }) => run !== change.run)
      return { ...model, wakes: change.next === undefined ? others : [...others, { run: change.run, at: change.next }] }
    }
    case 'forget':
      return {
        ...model,
        events: new Map(model.events).set(
          change.run,
          seqs.filter((seq) => seq > change.through),
        ),
      }
    case 'audit':
      return { ...model, audit: model.audit + 1 }
    case 'sync_later':
      return model
    default:
      return change satisfies never
  }
}

function commitTo(model: Model, changes: readonly Change[]): { model: Model; outcome: Committed } {
  let next = model
  for (const [index, change] of changes.entries()) {
    const reached = after(next, change)
    if (reached === undefined) return { model, outcome: { lost: index } }
    next = reached
  }
  return { model: next, outcome: 'committed' }
}

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values)
const id = oneOf('a', 'A', 'b')
const run = oneOf(runId(1), runId(2))
const version = oneOf<number | 'absent'>('absent', 'absent', 1, 2, 3)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('swap' as const),
    table: fc.constant('calls' as const),
    id,
    from: version,
    to: id.map((name) => call(name)),
  }),
  fc.record({ kind: fc.constant('expect' as const), table: fc.constant('calls' as const), id, version }),
  fc.record({ kind: fc.constant('once' as const), key: oneOf('a', 'b', 'c', 'd', 'e'), until: fc.constant(9e12) }),
  fc.record({ kind: fc.constant('open' as const), account: id, units: fc.nat(5) }),
  fc.record(
    {
      kind: fc.constant('spend' as const),
      account: id,
      units: fc.integer({ min: -3, max: 5 }),
      least: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: ['kind', 'account', 'units'] },
  ),
  fc.record({ kind: fc.constant('event' as const), run, event: fc.constant({ type: 'x' }) }),
  fc.record({ kind: fc.constant('wake' as const), run, at: fc.nat(9) }),
  fc.record({ kind: fc.constant('rest' as const), run, cursor: fc.nat(4) }),
  fc.record({ kind: fc.constant('rest' as const), run, cursor: fc.nat(4), next: fc.nat(9) }),
  fc.record({ kind: fc.constant('forget' as const), run, through: fc.nat(3) }),
  id.map((name) => note(name)),
  fc.constant({ kind: 'sync_later' as const }),
)
export const commitLists = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 60 })

/** Sends the commits in order and compares every outcome and everything readable with the model. */
export async function expectLikeModel(
  ledger: OpenLedger,
  list: readonly (readonly Change[])[],
  send: (list: readonly (readonly Change[])[]) => Promise<readonly Committed[]>,
): Promise<void> {
  let model = EMPTY
  const expected = list.map((changes) => {
    const reached = commitTo(model, changes)
    model = reached.model
    return reached.outcome
  })
  expect(await send(list)).toEqual(expected)
  for (const name of ['a', 'A', 'b']) {
    expect((await ledger.row('calls', name))?.version).toBe(model.rows.get(name))
  }
  expect(await ledger.count('calls', {})).toBe(model.rows.size)
  for (const name of [runId(1), runId(2)]) {
    expect(await ledger.events(name, 0, 1000)).toHaveLength(model.events.get(name)?.length ?? 0)
  }
  for (const now of [0, 3, 6, 9]) {
    const due = new Set(model.wakes.filter(({ at }) => at <= now).map((wake) => wake.run))
    expect(new Set((await ledger.due(now, 1000)).map((wake) => wake.run))).toEqual(due)
  }
  expect(await wholeChain(ledger, 'main')).toHaveLength(model.audit)
}

export function modelSuite({ fresh }: Opener): void {
  test('after any commits the ledger has answered and stored the same as a model on maps', async () => {
    await fc.assert(
      fc.asyncProperty(commitLists, async (list) => {
        const ledger = await fresh()
        await expectLikeModel(ledger, list, async () => {
          const outcomes: Committed[] = []
          for (const changes of list) outcomes.push(await ledger.commit(changes))
          return outcomes
        })
        await ledger.close()
      }),
      { numRuns: 12 },
    )
  })
}
