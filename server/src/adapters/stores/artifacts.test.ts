import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { fileArtifacts } from './artifacts.ts'

const base = mkdtempSync(join(tmpdir(), 'sluice-artifacts-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let number = 0
function fresh() {
  number += 1
  const folder = join(base, `store ${number}`, 'artifacts')
  return { folder, artifacts: fileArtifacts(folder) }
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function stored(artifacts: ReturnType<typeof fileArtifacts>, owner: string, text: string): Promise<string> {
  const digest = await artifacts.put(owner, text)
  if (digest === undefined) throw new Error('not stored')
  return digest
}

/** Every path below a folder. */
const pathsIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' })

test('a text is read back in ranges under the digest of its bytes', async () => {
  const { artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'héllo wörld')
  expect(digest).toBe(sha256('héllo wörld'))
  expect(await artifacts.read('ada', digest, 0, 100)).toEqual({ text: 'héllo wörld', size: 11 })
  expect(await artifacts.read('ada', digest, 6, 3)).toEqual({ text: 'wör', size: 11 })
  expect(await artifacts.read('ada', digest, 11, 3)).toEqual({ text: '', size: 11 })
  expect(await artifacts.read('ada', digest, 0, 0)).toEqual({ text: '', size: 11 })
})

test('the same text is stored once per owner, and storing it again is harmless', async () => {
  const { folder, artifacts } = fresh()
  const [first, second] = await Promise.all([artifacts.put('ada', 'x'), artifacts.put('ada', 'x')])
  expect(first).toBe(second)
  expect(pathsIn(folder)).toHaveLength(2)
})

test('an owner reads nothing of another, not even of one with a similar name', async () => {
  const { artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'mine')
  for (const other of ['Ada', 'ada ', 'ada/', './ada', 'bob', '', 'ada\0']) {
    expect(await artifacts.read(other, digest, 0, 10)).toBeUndefined()
  }
})

test('owners are never paths', async () => {
  const { folder, artifacts } = fresh()
  for (const owner of ['../../evil', '/etc', '..', '.', '', 'a\0b', 'a/b', 'c:\\x', 'x'.repeat(5000)]) {
    const digest = await stored(artifacts, owner, `text of ${owner}`)
    expect(await artifacts.read(owner, digest, 0, 4)).toMatchObject({ text: 'text' })
  }
  expect(pathsIn(join(folder, '..')).every((path) => /^artifacts(\/[0-9a-f]{64}){0,2}$/.test(path))).toBe(true)
})

test('an owner whose name is not well-formed has no artifacts', async () => {
  const { artifacts } = fresh()
  expect(await artifacts.put('\ud800', 'text')).toBeUndefined()
  await stored(artifacts, '\ufffd', 'text')
  expect(await artifacts.read('\ud800', sha256('text'), 0, 9)).toBeUndefined()
})

test('a pointer that is not a digest finds nothing, even if a file has its name', async () => {
  const { folder, artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'text')
  const shelf = join(folder, sha256('ada'))
  writeFileSync(join(folder, 'secret'), 'secret')
  writeFileSync(join(shelf, 'secret'), 'secret')
  const tricks = [
    '../secret',
    'secret',
    `../${sha256('ada')}/${digest}`,
    `./${digest}`,
    `${digest}/`,
    `${digest}\n`,
    `${digest}\0`,
    digest.toUpperCase(),
    digest.slice(1),
    `${digest}0`,
    '',
    '.',
  ]
  for (const trick of tricks) expect(await artifacts.read('ada', trick, 0, 10), trick).toBeUndefined()
})

test('a file that was changed, or replaced by a link, is not read', async () => {
  const { folder, artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'true')
  const path = join(folder, sha256('ada'), digest)
  writeFileSync(path, 'false')
  expect(await artifacts.read('ada', digest, 0, 10)).toBeUndefined()
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, 'true')
  rmSync(path)
  symlinkSync(elsewhere, path)
  expect(await artifacts.read('ada', digest, 0, 10)).toBeUndefined()
  expect(await artifacts.put('ada', 'true')).toBe(digest)
  expect(await artifacts.read('ada', digest, 0, 10)).toEqual({ text: 'true', size: 4 })
})

test('files are accessible only to the owner of the process', async () => {
  const { folder, artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'text')
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(mode(folder)).toBe('700')
  expect(mode(join(folder, sha256('ada')))).toBe('700')
  expect(mode(join(folder, sha256('ada'), digest))).toBe('600')
})

test('a text that cannot be stored has no digest and leaves nothing half-written', async () => {
  const { folder, artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'text')
  const shelf = join(folder, sha256('ada'))
  // A folder with the name of the file: the bytes can be written, but not renamed.
  rmSync(join(shelf, digest))
  mkdirSync(join(shelf, digest, 'x'), { recursive: true })
  expect(await artifacts.put('ada', 'text')).toBeUndefined()
  expect(readdirSync(shelf)).toEqual([digest])
  writeFileSync(join(base, 'a file'), '')
  chmodSync(join(base, 'a file'), 0o600)
  expect(await fileArtifacts(join(base, 'a file')).put('ada', 'text')).toBeUndefined()
})

test('pages of any size concatenate to the text, and no page contains half a character', async () => {
  const { artifacts } = fresh()
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      async (text, size) => {
        const digest = await stored(artifacts, 'ada', text)
        const pages: string[] = []
        for (let from = 0; from < text.length; from += size) {
          const page = await artifacts.read('ada', digest, from, size)
          pages.push(typeof page === 'object' ? page.text : 'absent')
        }
        expect(pages.join('')).toBe(text)
        expect(pages.every((page) => page.isWellFormed())).toBe(true)
      },
    ),
    { numRuns: 60 },
  )
})

test('an invalid range is a bug', async () => {
  const { artifacts } = fresh()
  const digest = await stored(artifacts, 'ada', 'text')
  for (const [from, length] of [
    [-1, 1],
    [0, -1],
    [0.5, 1],
    [0, Number.NaN],
    [Number.POSITIVE_INFINITY, 1],
  ] as const) {
    await expect(artifacts.read('ada', digest, from, length)).rejects.toThrow('range')
  }
})
