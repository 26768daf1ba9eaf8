import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { LAUNCHER } from '../doors/with-running-gate.ts'

/** Every process that starts says which one it is and how it was started. */
const TELL = `--import=data:text/javascript,console.error(JSON.stringify([process.pid,process.execArgv,process.env.MALLOC_ARENA_MAX]))`

type Started = readonly [pid: number, options: readonly string[], arenas: string | null]

function starts(...words: readonly string[]): readonly Started[] {
  const { MALLOC_ARENA_MAX: _, ...env } = process.env
  const ran = spawnSync(process.execPath, [LAUNCHER, ...words], {
    encoding: 'utf8',
    env: { ...env, NODE_OPTIONS: TELL },
  })
  expect(ran.status).toBe(0)
  const lines = ran.stderr.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Started)
}

test.skipIf(process.platform === 'win32')('a gate stays small, and is the process that was started', () => {
  const [first, second, ...more] = starts('up', '--help')
  expect(second).toEqual([first?.[0], ['--max-semi-space-size=8'], '2'])
  expect(more).toEqual([])
})

test('what ends soon is started once, with no options', () => {
  const all = starts('--help')
  expect(all).toEqual([[all[0]?.[0], [], null]])
})
