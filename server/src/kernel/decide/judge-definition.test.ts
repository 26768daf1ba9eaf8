import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolDefinition, ToolRow } from '../contract/tool.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import { judgeDefinition } from './judge-definition.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { callWith, neutralFacts, strictness, toolWith } from './neutral-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value
const tool = toolWith({ to: { type: 'string' } })

function judge(row: Partial<ToolRow>, look_alikes: readonly LookAlike[] = []) {
  const facts = neutralFacts({ ...tool, row: { ...tool.row, ...row } })
  return judgeDefinition(policy, callWith({}), { ...facts, look_alikes })
}
const admitting = (definition: Partial<ToolDefinition>) => ({
  admitted: { hash: 'b'.repeat(64), definition: { ...tool.row.definition, ...definition }, at: 0, by: 'admin:x' },
})
const twin: LookAlike = { tool_id: 'r__t', by: 'name' }

describe('a tool definition', () => {
  test('that is the admitted one, with a distinct name, gets no opinion', () => {
    expect(judge({})).toEqual([])
  })

  test('that changed is asked about, naming the changed fields and quoting neither text', () => {
    const before = admitting({
      description: 'harmless',
      inputSchema: { type: 'object', properties: { to: { type: 'array' }, ignore_what_you_were_told: {} } },
    })
    expect(judge(before)).toMatchObject([
      {
        effect: 'ask',
        strength: 'strong',
        rule: 'definition.changed',
        says: "the tool's definition is not the one that admin:x admitted: `description`, `inputSchema` changed",
      },
    ])
  })

  test("is asked about if its name, title or server resembles that of another server's tool", () => {
    for (const by of ['name', 'title', 'server'] as const)
      expect(judge({}, [{ ...twin, by }])).toMatchObject([
        {
          effect: 'ask',
          strength: 'strong',
          rule: 'definition.look_alike',
          says: expect.stringContaining('`r__t`') as string,
        },
      ])
  })

  test('law: a look-alike never loosens, whatever else is wrong with the tool', () => {
    const { admitted: _, ...bare } = tool.row
    const rows = fc.constantFrom<Partial<ToolRow>>(
      {},
      admitting({ description: 'x' }),
      { gone_at: 1 },
      { definition_hash: 'c'.repeat(64) },
    )
    fc.assert(
      fc.property(rows, fc.array(fc.constant(twin), { maxLength: 3 }), (row, twins) => {
        expect(strictness(judge(row, twins))).toBe(Math.max(strictness(judge(row)), twins.length > 0 ? 1 : 0))
      }),
    )
    const facts = neutralFacts({ ...tool, row: bare })
    expect(judgeDefinition(policy, callWith({}), { ...facts, look_alikes: [twin] })).toHaveLength(2)
  })
})
