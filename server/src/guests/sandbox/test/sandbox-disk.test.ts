import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { filesFact } from '../facts/files-fact.ts'
import { judgementOf } from '../../../../test/judging.ts'
import { readConfig } from '../../../../test/read-config.ts'
import { judgeSandbox } from '../judge-sandbox.ts'
import { compilePolicy } from '../../../kernel/policy/compile-policy.ts'
import { callWith, neutralFacts, toolWith } from '../../../kernel/decide/neutral-facts.suite.ts'
import { localFiles } from '../local-files.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-disk-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A fresh disk: `in` is allowed. Links in it lead inside, outside, nowhere, up, and to folders of another depth. */
function makeDisk(): void {
  rmSync(join(folder, 'root'), { recursive: true, force: true })
  for (const path of ['root/in/a/deep', 'root/in/b', 'root/out/a']) mkdirSync(join(folder, path), { recursive: true })
  symlinkSync('../out', join(folder, 'root/in/out'))
  symlinkSync('../out/new', join(folder, 'root/in/gone'))
  symlinkSync('../..', join(folder, 'root/in/a/up'))
  symlinkSync('../a', join(folder, 'root/in/b/deep'))
  symlinkSync('a/deep', join(folder, 'root/in/shallow'))
  symlinkSync('../in/b', join(folder, 'root/out/in'))
}

const treeOf = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [entry.name, ...treeOf(join(path, entry.name)).map((below) => `${entry.name}/${below}`)]
      : [`${entry.name}=${entry.isFile() ? readFileSync(join(path, entry.name), 'utf8') : '→'}`],
  )

/** How programs may read a path: as it is, normalized first, trimmed, or with backslashes as slashes. */
const WRITERS: readonly ((base: string, path: string) => string)[] = [
  (base, path) => (path.startsWith('/') ? path : `${base}/${path}`),
  (base, path) => resolve(base, path),
  (base, path) => resolve(base, path.trim()),
  (base, path) => resolve(base, path.replaceAll('\\', '/')),
  (base, path) => resolve(base, path.normalize('NFKC')),
  (base, path) => (path.startsWith('file://') ? decodeURIComponent(path.slice(7)) : resolve(base, path)),
]

test('law: a path that the gate allows without asking changes nothing outside, however a program reads it', async () => {
  const config = readConfig({
    servers: { s: { command: 'x', cwd: './root/in', sandbox: { roots: ['./root/in'], local: true } } },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const files = localFiles(config.value.servers, folder)
  const judgement = await judgementOf(config.value, { files })
  const policy = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
  if (!policy.ok) throw new Error('the configuration is invalid')
  const judge = async (path: string) => {
    const call = callWith({ path })
    const tool = toolWith({ path: {} }, ['write'])
    const facts = { ...neutralFacts(tool), files: await filesFact({ files, judgement }, call, tool) }
    return judgeSandbox(policy.value, call, facts)
  }

  let passed = 0
  const step = fc.oneof(
    { arbitrary: fc.constantFrom('a', 'b', 'out', 'gone', 'deep', 'up', 'shallow', 'in'), weight: 6 },
    { arbitrary: fc.constant('..'), weight: 4 },
    { arbitrary: fc.constantFrom('.', '', '..\\', '．．', ' ..', 'new'), weight: 3 },
  )
  const starts = fc.constantFrom('', '', '', '/', `${folder}/root/in/`, `file://${folder}/root/in/`)
  const paths = fc
    .tuple(starts, fc.array(step, { minLength: 1, maxLength: 6 }))
    .map(([start, steps]) => `${start}${steps.join('/')}`)
  makeDisk()
  await fc.assert(
    fc.asyncProperty(paths, async (path) => {
      const opinions = await judge(path)
      if (opinions.length > 0) return
      passed += 1
      const before = treeOf(join(folder, 'root/out'))
      const around = readdirSync(join(folder, 'root'))
      for (const writer of WRITERS) writeTo(writer(join(folder, 'root/in'), path))
      expect(treeOf(join(folder, 'root/out'))).toEqual(before)
      expect(readdirSync(join(folder, 'root'))).toEqual(around)
      makeDisk()
    }),
    // The two paths that lead elsewhere after normalization.
    { numRuns: 500, examples: [['shallow/../../new'], ['b/deep/../../new']] },
  )
  expect(passed).toBeGreaterThan(50)
})

/** Writes through the path, if the system allows it. */
function writeTo(path: string): void {
  if (path.startsWith('/') && !path.startsWith(folder) && !existsSync(path)) return
  try {
    writeFileSync(path, 'written')
  } catch {
    // a folder, or no such place
  }
}
