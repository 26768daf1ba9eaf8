import { expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { toolWith } from '../../kernel/decide/neutral-facts.suite.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { compileCapabilities, judgeCapabilities } from './capabilities.ts'
import { SOUND } from './documents.suite.ts'
import { readDocument } from './read-document.ts'

function effectOf(url: Json): string {
  const read = readDocument(SOUND)
  if (!read.ok) throw new Error('the document is not sound')
  const capability = {
    name: 'fetch',
    mcp: 'web',
    tool: 'get',
    allow: true,
    requireApproval: false,
    constraints: { url: { prefix: 'https://good.example/api/' } },
  }
  const compiled = compileCapabilities('clerk@1', { ...read.document, capabilities: [capability] })
  const canonical = canonicalJson({ url })
  const call = {
    caller: { id: 'agent:a', kind: 'agent' as const, user: 'ana', groups: [] },
    canonical_args: canonical.ok ? canonical.value : '',
    thread: 't1',
    tool_id: 'web__get',
  }
  const made = toolWith()
  const tool = { ...made, row: { ...made.row, tool_id: call.tool_id, server: 'web' } }
  return judgeCapabilities(compiled, call, { now: 0, tool }).effect
}

test('a prefix in a capability does not allow what goes up again', () => {
  expect(effectOf('https://good.example/api/x')).toBe('allow')
  expect(effectOf('https://good.example/x')).toBe('block')
  for (const away of ['../admin', '..;/admin', '%252e%252e/admin', '..%00/admin', '\uff0e\uff0e/admin'])
    expect(effectOf(`https://good.example/api/${away}`), away).toBe('block')
})
