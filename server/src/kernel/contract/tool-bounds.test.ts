import { describe, expect, test } from 'vitest'
import { boundDefinition, collectFaults, TOOL_BOUNDS } from './tool-bounds.ts'
import type { ToolDefinition } from './tool.ts'

const tool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({ name: 't', inputSchema: {}, ...more })
const bound = (definition: ToolDefinition) => {
  const rules: string[] = []
  return { definition: boundDefinition(definition, (rule) => void rules.push(rule)), rules }
}

describe('a tool definition', () => {
  test('within the limits is accepted unchanged, to the last character', () => {
    const definition = tool({
      name: 'n'.repeat(TOOL_BOUNDS.name),
      title: 't'.repeat(TOOL_BOUNDS.title),
      description: 'd'.repeat(TOOL_BOUNDS.description),
      annotations: { title: 'a'.repeat(TOOL_BOUNDS.title) },
    })
    expect(bound(definition)).toEqual({ definition, rules: [] })
  })

  test('with longer texts is cut to what fits, and says so', () => {
    const long = tool({
      title: 't'.repeat(60_000),
      description: 'd'.repeat(32_769),
      annotations: { title: 'a'.repeat(257) },
    })
    const { definition, rules } = bound(long)
    expect([definition?.title?.length, definition?.description?.length]).toEqual([256, 32_768])
    expect(definition?.annotations?.['title']).toBe('a'.repeat(256))
    expect(rules).toEqual(['title_cut', 'description_cut'])
  })

  test('is not cut in the middle of a character', () => {
    expect(bound(tool({ title: `${'t'.repeat(255)}\u{1F600}` })).definition?.title).toBe('t'.repeat(255))
  })

  test.each([
    ['name_too_long', tool({ name: 'n'.repeat(129) })],
    ['schema_too_large', tool({ inputSchema: { description: 'x'.repeat(TOOL_BOUNDS.schema) } })],
    ['schema_too_large', tool({ outputSchema: { description: 'x'.repeat(TOOL_BOUNDS.schema) } })],
  ])('%s: is left out, because a cut version could not be called as described', (rule, definition) => {
    expect(bound(definition)).toEqual({ definition: undefined, rules: [rule] })
  })

  test('loses annotations that are too large', () => {
    const { definition, rules } = bound(tool({ annotations: { note: 'x'.repeat(TOOL_BOUNDS.annotations) } }))
    expect([definition, rules]).toEqual([tool(), ['annotations_left_out']])
  })
})

test('findings are counted by rule, with one short example', () => {
  const findings = collectFaults()
  findings.note('name_too_long', 'n'.repeat(5_000))
  findings.note('name_too_long', 'm')
  expect(findings.all()).toEqual([{ rule: 'name_too_long', tools: 2, example: 'n'.repeat(128) }])
})
