import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change } from '../../../kernel/ports/ledger.ts'
import { listedFields, tableColumns } from '../listed.ts'
import { packCommit } from './packed-commit.ts'

type Row = Readonly<Record<string, unknown>>

const value = fc.constantFrom<unknown>('a', 'b', 1, 2, undefined, 'executing', 'executed')
/** Rows whose fields come in any order; some are columns, some are not. */
const row = fc
  .uniqueArray(fc.constantFrom('state', 'identity', 'tool_id', 'args', 'result', 'ended_at', 'received_at'), {})
  .chain((fields) => fc.tuple(...fields.map((field) => fc.tuple(fc.constant(field), fieldValue(field)))))
  .chain((fields) =>
    fc
      .constantFrom('one', 'two', 'none')
      .map((user): Row => ({ ...Object.fromEntries(fields), caller: callers[user] })),
  )
const callers = { one: { id: 'agent:a', user: 'one' }, two: { id: 'agent:a', user: 'two' }, none: undefined }
const fieldValue = (field: string) =>
  listedFields('calls').includes(field) ? fc.constantFrom('executing', 'executed', undefined) : value

const json = (of: Row): Row => JSON.parse(JSON.stringify(of)) as Row

test('law: a first version and the difference are the second version, nothing that was removed stays, and every changed column is written', () => {
  let differences = 0
  fc.assert(
    fc.property(row, row, fc.boolean(), (before, other, isExtended) => {
      const next = isExtended ? { ...before, ...other, caller: before['caller'] ?? other['caller'] } : other
      const change = { kind: 'swap', table: 'calls', id: 'c', from: 1, to: next } as unknown as Change
      const [packed] = packCommit([change], () => before)
      if (packed?.[0] !== 'difference' && packed?.[0] !== 'whole') throw new Error('not an update')
      const [as, , , , text, fields] = packed
      const merged = as === 'whole' ? {} : json(before)
      expect({ ...merged, ...(JSON.parse(text) as Row) }).toEqual(json(next))
      if (as === 'difference') expect(Object.keys(json(before)).every((field) => stays(field, before, next))).toBe(true)
      const changed = tableColumns('calls').filter(({ raw, stored }) => stored(raw(before)) !== stored(raw(next)))
      expect(fields === '' ? [] : fields.split(',')).toEqual(changed.map(({ field }) => field))
      differences += as === 'difference' ? 1 : 0
    }),
    { numRuns: 2_000 },
  )
  expect(differences).toBeGreaterThan(100)
})

/** Whether the first version may stay in the file: the field is the same, or only a number or a column was replaced. */
const stays = (field: string, before: Row, next: Row): boolean =>
  before[field] === next[field] ||
  (next[field] !== undefined && (listedFields('calls').includes(field) || typeof before[field] === 'number'))
