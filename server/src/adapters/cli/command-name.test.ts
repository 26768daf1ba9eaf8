import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandName } from './command-name.ts'

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-command-'))
  for (const folder of ['checkout/server/bin', 'checkout/bin', 'checkout/sluice-demo', 'app/node_modules/.bin', 'path'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'checkout/server/bin/sluice'), '')
  for (const link of ['checkout/bin/sluice', 'app/node_modules/.bin/sluice', 'path/sluice'])
    symlinkSync(join(root, 'checkout/server/bin/sluice'), join(root, link))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test.for([
  ['checkout', '', 'bin/sluice'],
  ['checkout/sluice-demo', '', '../bin/sluice'],
  ['app', '', 'node_modules/.bin/sluice'],
  ['app', 'path', 'sluice'],
  ['checkout', 'app/node_modules/.bin', 'bin/sluice'],
] as const)('in %s, with %s in PATH, hints print a command that works there', ([folder, path, command]) => {
  const env = { PATH: path === '' ? '/usr/bin' : join(root, path) }
  expect(commandName({ launcher: join(root, 'checkout/server/bin/sluice'), cwd: join(root, folder), env })).toBe(
    command,
  )
})

test('elsewhere hints print the path of the launcher', () => {
  const launcher = join(root, 'checkout/server/bin/sluice')
  expect(commandName({ launcher, cwd: join(root, 'path'), env: {} })).toBe(launcher)
})

test('no text tells people to run a package that anybody may have published', () => {
  const top = join(import.meta.dirname, '../../../..')
  const isText = (file: string) => /\.(?:md|tsx?|ya?ml|json|html)$/.test(file) && !/\.(?:test|suite)\.ts$/.test(file)
  const files = ['docs', 'examples', 'console/src', 'server/src', 'deploy'].flatMap((folder) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => isText(file) && !file.includes('node_modules'))
      .map((file) => join(folder, file)),
  )
  const runs = /\b(?:npx|bunx|pnpx|npm (?:exec|x)|(?:pnpm|yarn) dlx|npm (?:i|install) -g)(?: -\S+)* (?:sluice|node)\b/
  const found = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...files].filter((file) =>
    runs.test(readFileSync(join(top, file), 'utf8')),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})
