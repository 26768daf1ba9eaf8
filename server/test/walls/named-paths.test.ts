import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const GUIDES = ['ARCHITECTURE.md', 'STYLE.md', 'CONTRIBUTING.md', 'docs/kernel.md']

/** Named as bad examples. */
const UNWANTED: readonly string[] = ['index.ts', 'may-have.ts', 'failed-knocks.ts', 'sight.ts']

/** A file or a folder in backticks, or the path in the first line of an example. */
const NAMED = /`([\w.*-]+(?:\/[\w.*-]*)*)`|^\/\/ (server\/\S+)$/gm
const isPath = (name: string) => name.includes('/') || /\.(?:ts|tsx|mjs|json|md|yaml|txt)$/.test(name)

function namedIn(text: string): string[] {
  const names = [...text.matchAll(NAMED)].map((match) => match[1] ?? match[2] ?? '')
  return names.filter((name) => isPath(name) && !UNWANTED.includes(name))
}

/** `*` and words in capitals match any name. A path may begin at any folder, as people write it. */
function patternOf(name: string): RegExp {
  const words = name.replace(/\/$/, '').split(/\*|(?<![\w])[A-Z]{3,}(?![\w])/)
  return new RegExp(`(?:^|/)${words.map((word) => word.replaceAll('.', '\\.')).join('[^/]+')}$`)
}

function pathsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return []
    return entry.isDirectory() ? [path, ...pathsBelow(path)] : [path]
  })
}

const paths = pathsBelow('')
const isThere = (name: string) => paths.some((path) => patternOf(name).test(path))

test.each(GUIDES)('every file and folder that %s names exists', (guide) => {
  const names = namedIn(readFileSync(join(root, guide), 'utf8'))
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !isThere(name))).toEqual([])
})

/** The imports of an example whose first line names its file, as paths from the root. */
function importedIn(text: string): string[] {
  return [...text.matchAll(/^\/\/ (server\/\S+)\n((?:import .*\n)*)/gm)].flatMap(([, file = '', imports = '']) =>
    [...imports.matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) => join(dirname(file), target)),
  )
}

test('the examples of the house style import files that exist', () => {
  const imported = importedIn(readFileSync(join(root, 'STYLE.md'), 'utf8'))
  expect(imported.length).toBeGreaterThan(3)
  expect(imported.filter((path) => !paths.includes(path))).toEqual([])
})

test('a file that does not exist is found, and a placeholder is not taken for one', () => {
  expect(namedIn('read `main/wire.ts` and `x`, then\n// server/src/nowhere.ts\n')).toEqual([
    'main/wire.ts',
    'server/src/nowhere.ts',
  ])
  expect(['main/wire.ts', 'server/src/nowhere.ts', 'cellar/none/'].filter(isThere)).toEqual([])
  expect(isThere('kernel/decide/judge-NAME.ts')).toBe(true)
})
