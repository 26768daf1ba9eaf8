import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { LAUNCHER } from './built.ts'

const chunks = globSync(join(dirname(LAUNCHER), '../dist/boot/*.js'))

test('a gate never imports a whole module of Node: it takes only the exports that it uses', () => {
  const texts = chunks.map((chunk) => [chunk, readFileSync(chunk, 'utf8')] as const)
  expect(
    texts.some(([, text]) => /\{createServer:\w+\}=globalThis\.process\.getBuiltinModule\(.node:http.\)/.test(text)),
  ).toBe(true)
  const importing = texts.filter(([, text]) => /\bimport\b[^;()'"]*"node:/.test(text))
  expect(importing.map(([chunk]) => chunk)).toEqual([])
})
