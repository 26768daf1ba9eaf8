import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { LAUNCHER } from './built.ts'

const chunks = globSync(join(dirname(LAUNCHER), '../dist/main/*.js'))

test('the package contains Ajv once', () => {
  const withAjv = chunks.filter((chunk) => readFileSync(chunk, 'utf8').includes('no schema with key or ref'))
  expect(withAjv).toHaveLength(1)
})

test('a gate does not load the API, or commands that it does not run, before they are used', () => {
  const imports = (chunk: string): string[] =>
    [...readFileSync(chunk, 'utf8').matchAll(/(?:^|;)import(?:[^;()]*?from)?"(\.\/[^"]+)"/g)].map(([, path]) =>
      join(dirname(chunk), path ?? ''),
    )
  const named = (name: string) => chunks.filter((chunk) => basename(chunk).startsWith(`${name}-`))
  const loaded = new Set([join(dirname(chunks[0] ?? ''), 'main.js'), ...named('up')])
  for (const chunk of loaded) for (const path of imports(chunk)) loaded.add(path)
  expect(loaded.size).toBeGreaterThan(20)
  for (const later of ['api-listener', 'commands'])
    expect(new Set(named(later).map((chunk) => loaded.has(chunk)))).toEqual(new Set([false]))
})
