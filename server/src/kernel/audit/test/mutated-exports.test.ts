import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { exportAudit } from '../export-audit.ts'
import { writeCheckpoint } from '../write-checkpoint.ts'
import { pick, seeded } from '../../../../test/chaos/random.ts'
import { draft, memoryAudit, type MemoryAudit } from './memory-audit.suite.ts'
import { MUTATIONS, type Exports } from './mutations.suite.ts'

const script = resolve(import.meta.dirname, '../../../../../docs/verify-audit.mjs')
const driver = resolve(import.meta.dirname, 'verify-many.mjs')
const folder = mkdtempSync(join(tmpdir(), 'sluice-mutations-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MUTANTS = 1000

async function grow(memory: MemoryAudit, entries: number): Promise<void> {
  for (let at = 1; at <= entries; at += 1) {
    memory.append(at % 3 === 0 ? 'b' : 'main', draft(memory.clock(), `agent:\u{1f600} ${at}`))
    if (at % 4 === 0) await writeCheckpoint(memory)
  }
}

/** As latin1, in which every byte is one character. */
async function exportText(memory: MemoryAudit, since?: number): Promise<string> {
  let text = ''
  for await (const line of exportAudit(memory, { format: 'jsonl', ...(since === undefined ? {} : { since }) }))
    text += `${line}\n`
  return Buffer.from(text, 'utf8').toString('latin1')
}

const keyOf = ({ keys }: MemoryAudit): string => keys.publicKeys()[0]?.public_key ?? ''

function exitCodes(texts: readonly string[], key: string): number[] {
  const given = texts.map((text, index) => {
    const file = join(folder, `${index}`)
    writeFileSync(file, text, 'latin1')
    return [file, '--key', key]
  })
  const codes = join(folder, 'codes.json')
  spawnSync(process.execPath, [driver, script, codes], {
    input: JSON.stringify(given),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return JSON.parse(readFileSync(codes, 'utf8')) as number[]
}

test('of a thousand changed exports the stand-alone verifier accepts none', { timeout: 120_000 }, async () => {
  const [memory, other] = [memoryAudit(), memoryAudit()]
  await grow(memory, 9)
  await grow(other, 9)
  const [earlier, foreign] = [await exportText(memory), await exportText(other)]
  const since = memory.clock()
  await grow(memory, 5)
  const whole: Exports = { text: await exportText(memory), earlier, foreign }
  const partial: Exports = { ...whole, text: await exportText(memory, since) }
  const genuine = [whole.text, partial.text, earlier]
  expect(exitCodes(genuine, keyOf(memory))).toEqual([0, 0, 0])
  expect(partial.text.length).toBeLessThan(whole.text.length)

  const random = seeded(20261119)
  const mutants = new Map<string, string>()
  while (mutants.size < MUTANTS) {
    const exports = random() < 0.7 ? whole : partial
    const [name, mutate] = pick(random, Object.entries(MUTATIONS))
    const text = mutate(exports.text, random, exports)
    if (!genuine.includes(text)) mutants.set(text, name)
  }
  const codes = exitCodes([...mutants.keys()], keyOf(memory))
  const accepted = [...mutants].filter((_, index) => codes[index] === 0)
  expect(new Set(mutants.values())).toEqual(new Set(Object.keys(MUTATIONS)))
  expect(accepted.map(([text, name]) => `${name}: ${text}`)).toEqual([])
  expect(codes).toContain(2)
})
