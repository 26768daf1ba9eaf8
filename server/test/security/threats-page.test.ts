import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CALLS, REQUESTS } from './published/attacks.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(ROOT, 'docs/threats.md'), 'utf8')
const threats = page.split('\n### ').slice(1)

describe('docs/threats.md', () => {
  test.each(threats.map((text) => [text.split('\n')[0], text]))(
    '%s: has its four parts, and its tests exist',
    (_, text = '') => {
      for (const part of ['Tries', 'Stopped by', 'Tests', 'Open']) expect(text).toContain(`\n- **${part}**: `)
      const tests = /- \*\*Tests\*\*: (.*)/.exec(text)?.[1]?.match(/[^`\s]+\.test\.ts/g) ?? []
      expect(tests.length).toBeGreaterThan(0)
      expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    },
  )

  test('names only files that exist, and is linked from the main pages', () => {
    const named = [...page.matchAll(/`((?:server|docs|scripts)\/[^`]+)`/g)].map(([, path = '']) => path)
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(threats).toHaveLength(18)
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('(docs/threats.md)')
    expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toContain('(docs/threats.md)')
  })

  test('the table of attacks names each of them once', () => {
    const names = [...CALLS, ...REQUESTS].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
