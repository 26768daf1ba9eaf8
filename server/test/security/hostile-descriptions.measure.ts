import { expect, test } from 'vitest'
import { inferEffects } from '../../src/guests/risk/infer-effects.ts'

const infer = (description: string) =>
  inferEffects({ name: 'get_x', description, inputSchema: { type: 'object', properties: {} } })

/** Milliseconds of processor time of the fastest of several runs, so that a busy machine does not matter. */
function timeOf(description: string): number {
  const once = () => {
    const from = process.threadCpuUsage()
    infer(description)
    infer(`Use ${description}`)
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  }
  return Math.min(...Array.from({ length: 20 }, once))
}

test.each([
  'and ',
  'is deleted ',
  'to ',
  '. ',
  '\n',
  '#',
  '*',
  'A',
  '[',
  'SELECT ',
  'does not ',
  'shows a ',
  'loads into ',
  'resolves to ',
  '`',
  'a_',
  'when a b ',
  '< a',
  '删除',
])('hostile descriptions of %j take time in proportion to their length', (part) => {
  const text = part.repeat(32_768 / part.length)
  const short = Math.max(timeOf(text.slice(0, 2_048)), 1)
  // Sixteen times the text: quadratic time would give a factor of 256.
  expect(timeOf(text.slice(0, 32_768)) / short).toBeLessThan(100)
})
