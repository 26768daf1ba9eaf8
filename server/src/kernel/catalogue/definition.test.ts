import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../contract/json.ts'
import { ToolId } from '../contract/ids.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { definitionDiff, definitionText, toolIdOf } from './definition.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const tool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({ name: 'send', inputSchema: {}, ...more })
const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
const definition = fc.record(
  {
    name: fc.string({ maxLength: 4 }),
    title: fc.string(),
    description: fc.string(),
    inputSchema: json,
    annotations: json,
  },
  { requiredKeys: ['name', 'inputSchema'] },
) as fc.Arbitrary<ToolDefinition>

describe('the text of a definition', () => {
  test('covers exactly what an operator admits, in canonical form', () => {
    const listed = { ...tool({ title: 'T', description: 'D' }), icons: [], _meta: { a: 1 }, execution: {} }
    expect(definitionText(listed)).toBe('{"description":"D","inputSchema":{},"name":"send","title":"T"}')
    expect(definitionText(tool({ inputSchema: { b: 1, a: 2 } }))).toBe(
      definitionText(tool({ inputSchema: { a: 2, b: 1 } })),
    )
  })

  test('does not exist for a definition without a canonical form or with extreme nesting', () => {
    let deep: JsonObject = {}
    for (let n = 0; n < 50_000; n += 1) deep = { a: deep }
    expect(definitionText(tool({ inputSchema: deep }))).toBeUndefined()
    expect(definitionText(tool({ description: '\ud800' }))).toBeUndefined()
    expect(definitionText(tool({ inputSchema: { maximum: Number.POSITIVE_INFINITY } }))).toBeUndefined()
  })

  test('law: two definitions have the same text exactly when their diff is empty', () => {
    fc.assert(
      fc.property(definition, definition, fc.boolean(), (one, other, same) => {
        const second = same ? structuredClone(one) : other
        expect(definitionText(one) === definitionText(second)).toBe(definitionDiff(one, second).length === 0)
      }),
    )
  })
})

describe('the id of a tool', () => {
  test('is the server and the name, up to 64 characters', () => {
    expect(toolIdOf('mail', 'send', digest)).toBe('mail__send')
    expect(toolIdOf('mail', 'x'.repeat(58), digest)).toBe(`mail__${'x'.repeat(58)}`)
    expect(toolIdOf('mail', 'x'.repeat(59), digest)).toMatch(/^mail__x{41}_[0-9a-f]{16}$/)
    expect(toolIdOf('mail', 'send a · note', digest)).toBe('mail__send a · note')
    expect(toolIdOf('mail', 'se\u200Bnd\n', digest)).toMatch(/^mail__se_nd__[0-9a-f]{16}$/)
  })

  test('law: is never too long, keeps its server, is well-formed, and differs if names differ', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '😀', '_'), minLength: 1, maxLength: 90, size: 'max' })
    fc.assert(
      fc.property(name, name, (one, other) => {
        const ids = [one, other].map((name) => toolIdOf('a-server', name, digest))
        for (const id of ids) {
          expect(ToolId.safeParse(id).success && id.startsWith('a-server__') && id.isWellFormed()).toBe(true)
        }
        expect(ids[0] === ids[1]).toBe(one === other)
      }),
    )
  })
})

describe('the difference between two definitions', () => {
  test('names each changed place with both texts', () => {
    const before = tool({
      description: 'Sends a message',
      inputSchema: { properties: { to: { type: 'string' }, 'a/b~': 1 }, required: ['to'] },
    })
    const after = tool({
      description: 'Sends a message to everyone',
      inputSchema: { properties: { to: { type: ['string', 'null'] }, 'a/b~': '1' }, required: ['to', 'bcc'] },
      annotations: { readOnlyHint: true },
    })
    expect(definitionDiff(before, after)).toEqual([
      { path: '/annotations', after: '{"readOnlyHint":true}' },
      { path: '/description', before: 'Sends a message', after: 'Sends a message to everyone' },
      { path: '/inputSchema/properties/a~1b~0', before: '1', after: '"1"' },
      { path: '/inputSchema/properties/to/type', before: '"string"', after: '["string","null"]' },
      { path: '/inputSchema/required/1', after: '"bcc"' },
    ])
    expect(definitionDiff(tool({ inputSchema: { a: ['x'] } }), tool({ inputSchema: { a: { 0: 'x' } } }))).toEqual([
      { path: '/inputSchema/a', before: '["x"]', after: '{"0":"x"}' },
    ])
    expect(definitionDiff(after, before).map(({ path }) => path)).toEqual(
      definitionDiff(before, after).map(({ path }) => path),
    )
  })
})
