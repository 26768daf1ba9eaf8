import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Lets the space for young objects grow, then does nothing; succeeds once the memory is returned. V8 alone keeps it. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8'
const { freeMemoryWhenIdle } = await import(process.argv[1])
const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').physical_space_size
let kept = Array.from({ length: 400_000 }, (_, n) => ({ n, text: 'kept ' + n }))
const most = young()
kept = undefined
const stop = freeMemoryWhenIdle()
const timer = setInterval(() => {
  if (young() > most / 2) return
  clearInterval(timer)
  stop()
}, 100)
`

test('unused memory is returned once the process is idle', () => {
  const module = join(import.meta.dirname, 'free-memory-when-idle.ts')
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, module], {
    encoding: 'utf8',
    timeout: 110_000,
  })
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
})
