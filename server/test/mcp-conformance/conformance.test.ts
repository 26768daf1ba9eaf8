import { describe, expect, test } from 'vitest'
import { verdictOf, type Row } from './conformance-page.ts'
import { installPeers } from '../peers/install-peers.ts'
import { direct, throughGate } from './reference-gate.ts'
import { RUNS, runSuite, type SuiteResult, type SuiteRun } from './run-suite.ts'

const isSkipped = !(await installPeers())

/** MCP 2026-07-28 over HTTP; `npm run test:conformance` runs all protocol versions, both releases and both transports. */
const SLICE: SuiteRun = { suite: '0.2.0-alpha.12', revision: '2026-07-28' }

function unequalIn(before: SuiteResult, after: SuiteResult): readonly string[] {
  const rows = [...before].map(([scenario, checks]): Row => {
    const through = after.get(scenario) ?? []
    return { ...SLICE, scenario, direct: checks, http: through, stdio: through }
  })
  return rows.filter((row) => verdictOf(row).is === 'unequal').map(({ scenario }) => scenario)
}

describe.skipIf(isSkipped)('behind the gate the official suite finds the same', () => {
  test('for every scenario as with the reference server itself', async () => {
    expect(RUNS).toContainEqual(SLICE)
    const [alone, gated] = await Promise.all([direct(), throughGate('http')])
    try {
      const [before, after] = await Promise.all([runSuite(SLICE, alone.url), runSuite(SLICE, gated.url)])
      expect(before.size).toBeGreaterThan(30)
      const unequal = unequalIn(before, after)
      // Some scenarios wait less than a second for a notification, which is too short on a busy machine.
      if (unequal.length > 0) expect(unequalIn(before, await runSuite(SLICE, gated.url))).toEqual([])
    } finally {
      await Promise.all([alone.stop(), gated.stop()])
    }
  })
})
