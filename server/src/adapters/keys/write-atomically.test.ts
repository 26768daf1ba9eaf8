import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const SCRIPT = `
  import { writeAtomically } from ${JSON.stringify(join(import.meta.dirname, 'write-atomically.ts'))}
  for (let nth = 0; nth < 200; nth += 1) {
    const written = await writeAtomically(process.argv[1], 'whole '.repeat(1_000))
    if (!written.ok) throw new Error(JSON.stringify(written.problem))
  }
`

test('two processes that replace one file all the time do not disturb each other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-atomic-'))
  try {
    const file = join(folder, 'noted.json')
    const writer = () => promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', SCRIPT, file])
    await Promise.all([writer(), writer()])
    expect(readFileSync(file, 'utf8')).toBe(`${'whole '.repeat(1_000)}\n`)
    expect(readdirSync(folder)).toEqual(['noted.json'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
