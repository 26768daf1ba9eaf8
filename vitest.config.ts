import { defineConfig } from 'vitest/config'
import { Durations, LongestFirst } from './server/test/durations.ts'

/**
 * Loading the gate's modules takes longer than most tests, so test files share a process and what it has loaded. Two kinds of files get a
 * process of their own: those that replace a module, and those of the solver, which keeps threads and memory of its own.
 */
const ALONE = ['server/test/together/commit-counts.test.ts', 'server/src/guests/policy-lint/test/*.test.ts']

/** `npm run measure` runs what measures time or memory, one file at a time; `npm test` runs everything else. */
const MEASURES = process.env['SLUICE_TESTS'] === 'measures'
const kind = MEASURES ? 'measure' : 'test'

export default defineConfig({
  test: {
    setupFiles: ['server/test/setup.ts'],
    globalSetup: ['server/test/helpers/postgres-setup.ts', 'server/test/built/global-setup.ts'],
    // Bounds for a machine that is busy with other work: a gate that starts in one second can take thirty there.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new Durations()],
    // Most tests wait for processes and disks, so three at a time fit on two cores.
    maxWorkers: MEASURES ? 1 : 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            `server/src/**/*.${kind}.ts`,
            `server/test/**/*.${kind}.ts`,
            `console/test/**/*.${kind}.ts`,
            `bench/**/*.${kind}.ts`,
          ],
          exclude: ['**/node_modules/**', ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
