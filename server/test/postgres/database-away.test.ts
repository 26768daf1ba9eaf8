import { expect, test } from 'vitest'
import { awayPart } from '../chaos/away-part.ts'
import { isWhole } from './stores.ts'
import { hasPostgres } from './with-postgres.ts'

/** By `npm run test:cluster`, and by `npm run chaos -- --only away`. */
test.skipIf(!hasPostgres || !isWhole)(
  'nodes whose database was away for longer than a lease go on without a restart, and the history is sound',
  async () => {
    const report = await awayPart({ seed: 1, hasPostgres })
    expect(report.violations).toEqual([])
    expect(report.faults).toMatchObject({ 'database away': 3 })
  },
  300_000,
)
