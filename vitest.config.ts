import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Pure functions: nothing that one file leaves behind can reach another, so they share their workers and what these have loaded. */
const PURE = ['server/src/core/**/*.test.ts', 'server/src/contract/**/*.test.ts']
/** The solver keeps threads and memory of its own, and answers within a time limit. */
const SOLVER = 'server/src/core/gate/policy/lint/*.test.ts'

export default defineConfig({
  test: {
    setupFiles: ['server/test/setup.ts'],
    globalSetup: ['server/test/postgres/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A test that waited too long for another process on a busy machine runs once more, and the report says so. A wrong answer fails at once.
    retry: { count: 1, condition: /timed out in/ },
    pool: 'forks',
    // Most tests wait for processes and disks, so two at a time fit on two cores.
    maxWorkers: 2,
    // For the processes and threads that tests start: compiling the gate takes half of their time.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'sluice-compile-cache') },
    projects: [
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['server/src/**/*.test.ts', 'server/test/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...PURE],
        },
      },
      { extends: true, test: { name: 'pure', include: PURE, exclude: [SOLVER], isolate: false } },
      { extends: true, test: { name: 'solver', include: [SOLVER] } },
    ],
  },
})
