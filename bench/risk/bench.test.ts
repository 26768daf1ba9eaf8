import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { bench } from './bench.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-risk-'))
afterAll(() => rmSync(folder, { recursive: true }))

const line = (name: string, labels: object): object => ({ server: 's', name, description: '', inputSchema: {}, labels })
const TOOLS = [
  line('get_thing', { readOnlyHint: true }),
  line('create_thing', { readOnlyHint: true }),
  line('create_thing', { readOnlyHint: false, destructiveHint: false }),
  line('delete_thing', { destructiveHint: true }),
  line('thing', { readOnlyHint: false }),
]
const text = TOOLS.map((tool) => JSON.stringify(tool)).join('\n')

test('an unknown effect counts as a write, a missing hint as not read-only, and a missing destructive hint as neither', async () => {
  const file = join(folder, 'tools.jsonl')
  writeFileSync(file, text)
  const { rows, contradicted } = await bench.run(['--data', file])
  expect(rows).toEqual([
    { system: 'sluice', target: 'write', recall: 1, fpr: 0.5, positives: 3, negatives: 2 },
    { system: 'verb_rule', target: 'write', recall: 2 / 3, fpr: 0.5, positives: 3, negatives: 2 },
    { system: 'sluice', target: 'destructive', recall: 1, fpr: 0, positives: 1, negatives: 3 },
    { system: 'verb_rule', target: 'destructive', recall: 1, fpr: 0, positives: 1, negatives: 3 },
  ])
  expect(contradicted).toEqual({ definitions: 1, least_errors: 1 })
})

test('gzipped tools give the same figures as plain ones', async () => {
  const [plain, packed] = [join(folder, 'plain.jsonl'), join(folder, 'packed.jsonl.gz')]
  writeFileSync(plain, text)
  writeFileSync(packed, gzipSync(text))
  expect(await bench.run(['--data', packed])).toEqual(await bench.run(['--data', plain]))
})

test('tools with effects but innocent names are not classified as reads, and few reads are held', async () => {
  const file = join(folder, 'none.jsonl')
  writeFileSync(file, '')
  const { innocent } = await bench.run(['--data', file])
  for (const { set, half, system, recall, fpr, positives } of innocent) {
    if (system !== 'sluice' || positives === 0) continue
    expect([set, half, recall]).toEqual([set, half, expect.toSatisfy((share) => share >= 0.97)])
    expect(fpr).toBeLessThanOrEqual(0.1)
  }
})

const PUBLIC = join(import.meta.dirname, '../../../shared/data/risk-annotations/tools.jsonl.gz')
if (!existsSync(PUBLIC)) console.log('skipped: the public risk annotations are not there')

test.skipIf(!existsSync(PUBLIC))(
  'on the public annotations more writes are found than by verbs in the name',
  async () => {
    const { rows } = await bench.run(['--data', PUBLIC])
    const [sluice, verbs] = rows
    expect(sluice?.recall).toBeGreaterThan((verbs?.recall ?? 1) + 0.2)
    expect(sluice?.recall).toBeGreaterThanOrEqual(0.895)
    expect(sluice?.fpr).toBeLessThan(0.065)
  },
)
