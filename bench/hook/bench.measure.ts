import { expect, test } from 'vitest'
import { bench } from './bench.ts'

test('each command is measured next to a bare start of Node, and the hook was answered by a running gate', async () => {
  const { rows } = await bench.run(['--rounds', '1'])
  expect(rows.map(({ system }) => system)).toEqual([
    'node -e 0',
    'sluice hook',
    'the installed line',
    'the installed line, no gate',
  ])
  expect(rows[0]?.ratio).toBe(1)
  for (const { ms_p50, ratio } of rows) expect(ms_p50 > 0 && ratio > 0).toBe(true)
})
