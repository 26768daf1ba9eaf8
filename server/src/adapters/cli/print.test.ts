import { expect, test } from 'vitest'
import { printOutcome, type Out } from './print.ts'

/** The lines of an outcome, and its exit code. */
function printed(body: object) {
  const lines: string[] = []
  const keep = (text: string) => void lines.push(text)
  const out: Out = { json: false, width: 100, line: keep, error: keep, data: keep, framed: keep }
  const code = printOutcome(out, { status: 200, text: '', body })
  return { lines, code }
}

test('an unknown outcome names the commands that settle it', () => {
  const { lines, code } = printed({ status: 'unknown', call_id: 'call_1' })
  expect(code).toBe(6)
  expect(lines.slice(1)).toEqual(['done', 'failed', 'retry'].map((as) => `  sluice settle call_1 ${as}`))
})

test('the pointer to a large output is on a line of its own, as a command', () => {
  const pointer = `artifact://${'a'.repeat(64)}`
  const output = { evicted: true, size_chars: 110_889, pointer }
  const { lines } = printed({ status: 'executed', result: { content: [{ type: 'text', text: 'x' }] }, output })
  expect(lines.at(-1)).toBe(`the output has 110889 characters; read it with: sluice artifact ${pointer}`)
  expect(printed({ status: 'executed', output: { evicted: false, size_chars: 1 } }).lines).toEqual([])
})
