import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Prints whether a function that runs often is only interpreted: as the launcher starts a gate, and once it has work. */
const PROGRAM = `
import { setFlagsFromString } from 'node:v8'
const { optimise } = await import(process.argv[1])
const given = process.execArgv.filter((option) => option.startsWith('--no'))
for (const compiler of ['sparkplug', 'maglev', 'opt']) setFlagsFromString('--no-' + compiler)
function hot(count) { let sum = 0; for (let at = 0; at < count; at += 1) sum = (sum * 31 + at) | 0; return sum }
const isInterpreted = () => %ActiveTierIsIgnition(hot)
for (let round = 0; round < 100; round += 1) hot(10_000)
const before = isInterpreted()
optimise(given)
for (let round = 0; round < 2_000 && isInterpreted(); round += 1) {
  hot(10_000)
  await new Promise((done) => setImmediate(done))
}
console.log(JSON.stringify({ before, after: isInterpreted() }))
`

const ran = (...options: string[]): unknown => {
  const module = join(import.meta.dirname, 'optimise-later.ts')
  const flags = ['--allow-natives-syntax', ...options, '--input-type=module', '-e', PROGRAM, module]
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  return stdout === '' ? stderr : JSON.parse(stdout)
}

test('a gate compiles nothing while it starts, and what runs often once it has work', () => {
  expect(ran()).toEqual({ before: true, after: false })
})

test('compilers that the operator turned off stay off', () => {
  expect(ran('--no-turbofan', '--nomaglev', '--no-sparkplug')).toEqual({ before: true, after: true })
})
