import { expect, test } from 'vitest'
import { runCases, type CrashCase } from './crash-cases.ts'

/** A slice of `npm run test:chaos`, which kills at every point and commit, on both stores. */
const CASES: readonly CrashCase[] = [
  { store: 'embedded', kill: { at: 'commit.after', nth: 12 } },
  { store: 'embedded', kill: { at: 'commit.before', nth: 40 }, twice: 'in turn' },
]

test('a gate that is killed around a commit, and one whose effects are performed twice, keep the guarantees', async () => {
  const report = await runCases(CASES, 1, 2)
  expect(report.violations).toEqual([])
  expect(report.faults).toMatchObject({ 'SIGKILL at commit.after': 1, 'SIGKILL at commit.before': 1 })
}, 120_000)
