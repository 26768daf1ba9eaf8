import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'

const faultsOf = (value: unknown) => {
  const read = readConfig(value)
  return read.ok ? 'no fault' : read.problem.about['paths']
}
const server = (settings: object) => ({ servers: { files: { command: 'node', ...settings } } })
const sandbox = { roots: ['./work'] }

describe('the operator`s settings for the deciders', () => {
  test('are read with these defaults', () => {
    const tools = { read: { files: ['/path', '/edits/*/path', '/a~1b'], content: {} } }
    expect(readConfig(server({ sandbox, tools }))).toMatchObject({
      value: {
        servers: {
          files: { sandbox: { local: false }, tools: { read: { content: { pii: 'ask', credentials: [] } } } },
        },
      },
    })
    expect(readConfig({ budgets: [{ id: 'b', match: { tool: 'x__*' }, calls: 1, per: 'run' }] })).toMatchObject({
      value: { budgets: [{ match: { tool: ['x__*'] }, each: [] }] },
    })
  })

  test.each<[object, string]>([
    [server({ sandbox: { roots: [] } }), 'servers.files.sandbox.roots'],
    [server({ sandbox: { ...sandbox, root: '.' } }), 'servers.files.sandbox.root: unknown key'],
    [server({ sandbox, tools: { read: { files: ['path'] } } }), 'servers.files.tools.read.files.0: a JSON pointer'],
    [server({ sandbox, tools: { read: { files: ['/a~2'] } } }), 'servers.files.tools.read.files.0: a JSON pointer'],
    [server({ tools: { read: { files: ['/path'] } } }), '`files` needs a `sandbox` of the server'],
    [server({ tools: { read: { content: { pii: 'block' } } } }), 'servers.files.tools.read.content.pii'],
    [server({ tools: { read: { cost: 0.5 } } }), 'servers.files.tools.read.cost'],
    [{ budgets: [{ id: 'b', per: 'day' }] }, 'budgets.0: a budget limits `calls`, `cost` or both'],
    [{ budgets: [{ id: 'b', calls: 0, per: 'day' }] }, 'budgets.0.calls'],
    [{ budgets: [{ id: 'b', calls: 1, per: 'week' }] }, 'budgets.0.per'],
    [{ budgets: [{ id: 'b', calls: 1, per: 'day', match: { user: 'x' } }] }, 'budgets.0.match.user: unknown key'],
    [
      {
        budgets: [
          { id: 'b', calls: 1, per: 'day' },
          { id: 'b', cost: 1, per: 'day' },
        ],
      },
      'budgets: two budgets have the same id',
    ],
    [{ repetition: { most: 1 } }, 'repetition.most'],
    [{ traps: { files: [''] } }, 'traps.files.0'],
  ])('are rejected if they are contradictory: %j', (config, says) => expect(faultsOf(config)).toContain(says))

  test('are never repeated when rejected: a trap`s token is a secret', () => {
    expect(faultsOf({ traps: { tokens: ['s3cret-token', 7] } })).not.toContain('s3cret')
  })
})
