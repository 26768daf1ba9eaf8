import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Says how many requests it took until a function that runs often is compiled with optimizations, at most as many as its argument says. */
const PROGRAM = `
const { compileWhenBusy } = await import(process.argv[1])
const add = (a, b) => a + b
const isCompiled = () => {
  for (let n = 0; n < 20_000; n += 1) add(n, 1)
  return %ActiveTierIsMaglev(add) || %ActiveTierIsTurbofan(add)
}
const compilers = compileWhenBusy()
compilers.started()
let requests = 0
while (!isCompiled() && requests < Number(process.argv[2])) {
  requests += 1
  compilers.count()
  await new Promise((later) => setTimeout(later, 1))
}
console.log(requests)
`

const INTERPRETED = ['--minimum-invocations-before-optimization=1000000000', '--no-use-osr']

function requestsUntilCompiled(options: readonly string[], most: number): number {
  const module = join(import.meta.dirname, 'compile-when-busy.ts')
  const args = ['--allow-natives-syntax', ...options, '--input-type=module', '-e', PROGRAM, module, String(most)]
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 110_000 })
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
  return Number(ran.stdout)
}

test('a gate that starts without the compilers uses them after some requests', () => {
  // V8 compiles in a thread of its own, which may have to wait for a processor.
  const requests = requestsUntilCompiled(INTERPRETED, 20_000)
  expect(requests).toBeGreaterThanOrEqual(16)
  expect(requests).toBeLessThan(20_000)
})

test('the thresholds of an operator stay in force', () => {
  expect(requestsUntilCompiled(['--minimum-invocations-before-optimization=900000000', '--no-use-osr'], 100)).toBe(100)
})
