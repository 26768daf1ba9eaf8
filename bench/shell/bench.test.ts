import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bench } from './bench.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-shell-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('commands are counted by what they are and whether they are allowed', async () => {
  const file = join(folder, 'list.jsonl')
  const lines = [
    { command: 'ls', acts: false },
    { command: 'frobnicate', acts: false },
    { command: 'rm x', acts: true },
    { command: 'cat README.md', acts: true },
  ]
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const { rows, wrong } = await bench.run(['--data', file])
  expect(rows).toMatchObject([
    { system: 'sluice', acting: 2, acting_not_allowed: 1, harmless: 2, harmless_not_allowed: 1 },
  ])
  expect(wrong.map(({ command }) => command)).toEqual(['frobnicate', 'cat README.md'])
})

test('of each list of ours, nearly all acting commands are held and few harmless ones', async () => {
  const { rows } = await bench.run([])
  for (const row of rows) {
    expect(row.acting).toBeGreaterThanOrEqual(150)
    expect(row.acting_not_allowed / row.acting).toBeGreaterThanOrEqual(0.99)
    expect(row.harmless_not_allowed / row.harmless).toBeLessThanOrEqual(0.1)
  }
})
