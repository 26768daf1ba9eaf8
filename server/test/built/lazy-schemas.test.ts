import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lazySchemas } from '../../lazy-schemas.ts'
import type * as Script from './use-schemas.ts'

const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/lazy-schemas-${process.pid}`)

async function built(name: string, plugins: readonly Plugin[]): Promise<typeof Script> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'use-schemas.ts'),
    platform: 'node',
    plugins: [...plugins],
  })
  const file = join(FOLDER, `${name}.js`)
  await bundle.write({ file, format: 'esm' })
  return (await import(pathToFileURL(file).href)) as typeof Script
}

let [lazy, usual]: (typeof Script | undefined)[] = []
beforeAll(async () => {
  ;[lazy, usual] = [await built('lazy', [lazySchemas]), await built('usual', [])]
})
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

test('a schema of the bundle accepts, rejects, describes and names the same as a usual one', () => {
  const seen = JSON.stringify(lazy?.useSchemas(), null, 1)
  expect(seen).toBe(JSON.stringify(usual?.useSchemas(), null, 1))
  expect(seen.length).toBeGreaterThan(10_000)
  // Now most of the schemas are not built when they are declared.
  expect(JSON.stringify(lazy?.useSchemas(), null, 1)).toBe(seen)
})

test('a schema of the bundle is built when something reads it, not when it is declared', () => {
  expect(usual?.isBuiltWhenDeclared()).toBe(true)
  expect(lazy?.isBuiltWhenDeclared()).toBe(false)
})
