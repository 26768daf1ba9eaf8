import { defineConfig } from 'vitest/config'
import { LongestFirst } from './server/test/longest-first.ts'

/**
 * Loading the gate's modules takes longer than most tests, so test files share a process and what it has loaded. Two kinds of files get a
 * process of their own: those that replace a module, and those of the solver, which keeps threads and memory of its own.
 */
const ALONE = ['server/test/runs/commit-counts.test.ts', 'server/test/policy/*.test.ts']

export default defineConfig({
  test: {
    setupFiles: ['server/test/setup.ts'],
    globalSetup: ['server/test/postgres/global-setup.ts', 'server/test/built/global-setup.ts'],
    // Bounds for a machine that is busy with other work: a gate that starts in one second can take thirty there.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // A test that waited too long for another process on a busy machine runs once more, and the report says so. A wrong answer fails at once.
    retry: { count: 1, condition: /timed out in/ },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Most tests wait for processes and disks, so three at a time fit on two cores.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['server/src/**/*.test.ts', 'server/test/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
