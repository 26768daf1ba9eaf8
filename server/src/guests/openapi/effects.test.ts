import { expect, test } from 'vitest'
import { joinTool } from '../../kernel/catalogue/join-tool.ts'
import { readConfig } from '../../../test/read-config.ts'

test('a DELETE with a name that suggests a read is still not a read', () => {
  const read = readConfig({ servers: { api: { openapi: 'a.yaml' } } })
  if (!read.ok) throw new Error(JSON.stringify(read.problem))
  const settings = read.value.servers['api']
  if (settings === undefined) throw new Error('it is configured')
  const definition = {
    name: 'getReport',
    description: 'Get a report',
    inputSchema: {},
    annotations: { readOnlyHint: false },
  }
  const row = {
    v: 1,
    tool_id: 'api__getReport',
    server: 'api',
    definition,
    definition_hash: '',
    first_seen: 0,
    last_changed: 0,
  } as const
  expect(joinTool(row, settings).effects).toEqual(['write', 'external'])
})
