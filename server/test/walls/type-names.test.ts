import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const TYPE = /^export (?:abstract )?(?:type|interface|class) (\w+)/gm
const IS_TEST = /\.(?:test|suite|measure)\.tsx?$|\/test\//

/** The client is published without the kernel, so it says again what JSON is. */
const EXEMPT: ReadonlySet<string> = new Set(['Json'])

const files = ['server/src/**/*.ts', 'server/src/**/*.tsx', 'console/src/**/*.ts', 'console/src/**/*.tsx']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !IS_TEST.test(file))
  .sort()

/** `kernel`, `main`, `client`, `console`, or one adapter or guest. */
function homeOf(file: string): string {
  const [first = '', , ring = '', part = ''] = file.split('/')
  if (first === 'console') return first
  return ring === 'adapters' || ring === 'guests' ? `${ring}/${part}` : ring
}

test('the name of an exported type is used in one home only', () => {
  const files_of = new Map<string, string[]>()
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(TYPE))
      files_of.set(name, [...(files_of.get(name) ?? []), file])
  expect(files_of.get('Stored')).toContain('server/src/kernel/ports/reads.ts')
  const shared = [...files_of].filter(([name, at]) => !EXEMPT.has(name) && new Set(at.map(homeOf)).size > 1)
  expect(shared.map(([name, at]) => `${name}: ${[...new Set(at)].join(', ')}`)).toEqual([])
})

test('only the corridor calls what it needs its dependencies: elsewhere it is named ports, or setup', () => {
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(TYPE)].flatMap(([, name = '']) =>
      name.endsWith('Deps') ? [file] : [],
    ),
  )
  expect(named).not.toEqual([])
  expect(named.filter((file) => !file.startsWith('server/src/kernel/attempt/'))).toEqual([])
})
